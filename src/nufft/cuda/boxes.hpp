// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: a bin's box, the cells of its tile and those that its patches reach beyond it, held by one warp in
// shared memory; how 32 lanes go over a patch in it. In single precision, for kernels of up to 7 cells.
#pragma once
#include "nufft/cuda/moves.hpp"

namespace findrho::nufft {

inline constexpr unsigned kAllLanes = 0xffffffffU;

/// Rows hold up to 8 cells from an even one on: W + 1 <= 8. Eight lanes read 128 bytes of two rows at once: neighbours
/// along z in 3D and along y in 2D, which therefore lie half of the banks apart.
struct Box {
  int row, plane, y, z;
  __host__ __device__ constexpr Box(int dims, int width)
      : row(dims == 3 ? 14 : 40),
        plane(0),
        y((dims == 3 ? 8 : 16) + width - 1),
        z(dims == 3 ? 8 + width - 1 : 1) {
    plane = row * y;
    if (dims == 3) plane += (24 - plane % 16) % 16;
  }
  __host__ __device__ constexpr int cells() const { return plane * z; }
  __host__ __device__ constexpr int quads() const { return cells() / 2; }  // pieces of 16 bytes
};

inline constexpr int kAlongX = 9;  // weights along x, with zeros before and after

template <int Dims, int Width>
struct BoxShape {
  static constexpr Box box{Dims, Width};
  static constexpr int rows = Dims == 3 ? Width * Width : Width;  // of a patch
  static constexpr int steps = (rows + 7) / 8;                    // a warp takes 8 of them at once
  /// Weights of a sample: along x, then of its rows. Odd, so that lanes writing theirs meet no bank conflicts.
  static constexpr int stride = (kAlongX + rows) | 1;
  /// Of one warp. Lanes without a row read beyond the last sample's weights: up to 7 of them.
  static constexpr int weights = 32 * stride + 8;
  static constexpr std::size_t scratch(int warps) {
    return static_cast<std::size_t>(box.cells()) * sizeof(float2) +
           static_cast<std::size_t>(warps * weights) * sizeof(float);
  }
};

/// Calls f with the shape for a grid's dimensions and width.
template <int Width = 2, class F>
void with_box_shape(TileGrid const& g, F const& f) {
  if constexpr (Width < kWidestBox) {
    if (g.width > Width) return with_box_shape<Width + 1>(g, f);
  }
  return g.dims == 2 ? f(BoxShape<2, Width>{}) : f(BoxShape<3, Width>{});
}

#if defined(__CUDACC__)

/// The weights of this lane's sample.
template <int Dims, int Width>
__device__ void write_box_weights(BoxShape<Dims, Width>, SortedSamples<float> const& samples,
                                  Polynomials<float> const& kernel, unsigned sample, float* w) {
  float const s[2] = {samples.fraction[0][sample], samples.fraction[Dims - 1][sample]};
  float last_axis[Width];
  w[0] = 0;
#pragma unroll
  for (int j = Width + 1; j < kAlongX; ++j) w[j] = 0;
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    float weight[2];
    kernel.weights(j, s, weight);
    w[1 + j] = weight[0];
    last_axis[j] = weight[1];
    if constexpr (Dims == 2) w[kAlongX + j] = weight[1];
  }
  if constexpr (Dims == 3) {
    float const sy[1] = {samples.fraction[1][sample]};
#pragma unroll
    for (int y = 0; y < Width; ++y) {
      float weight[1];
      kernel.weights(y, sy, weight);
#pragma unroll
      for (int z = 0; z < Width; ++z) w[kAlongX + y * Width + z] = weight[0] * last_axis[z];
    }
  }
}

/// Where this lane's rows lie from a patch's first cell, the same for every sample.
template <class Shape>
struct BoxRows;
template <int Dims, int Width>
struct BoxRows<BoxShape<Dims, Width>> {
  using Shape = BoxShape<Dims, Width>;
  int from[Shape::steps];
  bool last;  // whether the lane has a row in the last step; in those before it has
  __device__ BoxRows() : last(true) {
    int const lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < Shape::steps; ++k) {
      int const row = k * 8 + lane / 4, z = Dims == 3 ? row % Width : 0, y = Dims == 3 ? row / Width : row;
      last = y < Width;
      from[k] = (last ? z * Shape::box.plane + y * Shape::box.row : 0) + lane % 4 * 2;
    }
  }
};

/// What a lane needs of a sample.
template <class Shape>
struct Patch {
  int at;                         // its first cell from an even one on, the parity in bit 0
  float a, b, row[Shape::steps];  // weights of the lane's two cells along x, and of its rows
  __device__ Patch(float const* w, int at_) : at(at_) {
    int const lane = threadIdx.x % 32;
    float const* const x = w + lane % 4 * 2 + 1 - (at & 1);
    a = x[0];
    b = x[1];
#pragma unroll
    for (int k = 0; k < Shape::steps; ++k) row[k] = w[kAlongX + k * 8 + lane / 4];
  }
};

struct BinPlace {
  int first[3];
  __device__ BinPlace(TileGrid const& g, int bin)
      : first{g.first_cell(0, bin % g.tiles[0]), g.first_cell(1, bin / g.tiles[0] % g.tiles[1]),
              g.first_cell(2, bin / (g.tiles[0] * g.tiles[1]))} {}
  __device__ int in_box(Box const& box, Cell const& c) const {
    return (c.z - first[2]) * box.plane + (c.y - first[1]) * box.row + c.x - first[0];
  }
};

#endif

}  // namespace findrho::nufft
