// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: a bin's box, the cells of its tile and those that its patches reach beyond it, held in shared memory;
// how the 32 lanes of a warp go over a patch in it. In single precision, for kernels of up to 7 cells.
#pragma once
#include <numeric>
#include <type_traits>

#include "nufft/cuda/moves.hpp"

namespace findrho::nufft {

inline constexpr unsigned kAllLanes = 0xffffffffU;

/// A box is read and written in quads of 16 bytes: two neighbouring cells of one coil, or, for spreading, one cell of two
/// coils, whose patches then share their weights. To read two coils, the halves of a warp go over a box each.
/// One coil: 4 lanes take a row of a patch from an even cell on, W + 1 <= 8 cells. Eight lanes read 128 bytes of two
/// rows at once: neighbours along z in 3D and along y in 2D, which therefore lie half of the banks apart.
/// Two coils: W lanes take a row. Neighbouring rows lie W quads apart and planes W W, counted in eights: the lanes' quads
/// follow each other through the banks.
struct Box {
  int cells;             // of a quad
  int row, plane, y, z;  // row, plane: quads from one to the next; y, z: how many
  __host__ __device__ constexpr Box(int dims, int width, int coils)
      : cells(2 / coils),
        row(coils == 1 ? (dims == 3 ? 7 : 20) : (dims == 3 ? 8 : 32) + width),
        plane(0),
        y((dims == 3 ? 8 : 16) + width - 1),
        z(dims == 3 ? 8 + width - 1 : 1) {
    plane = row * y;
    if (dims == 3) plane += coils == 1 ? (12 - plane % 8) % 8 : (8 + width * width % 8 - plane % 8) % 8;
  }
  __host__ __device__ constexpr int quads() const { return plane * z; }
};

/// Coils: of a quad. Lanes: that go over a box.
template <int Dims, int Width, int Coils, int Lanes = 32>
struct BoxShape {
  static constexpr Box box{Dims, Width, Coils};
  static constexpr int dims = Dims, width = Width, coils = Coils, lanes = Lanes, boxes = 32 / Lanes;
  static constexpr int across = Coils == 1 ? 4 : Width;           // lanes of a row
  static constexpr int at_once = Lanes / across;                  // rows
  static constexpr int rows = Dims == 3 ? Width * Width : Width;  // of a patch
  static constexpr int steps = (rows + at_once - 1) / at_once;
  /// Weights of a sample: along x, for one coil with zeros before and after, then along y and z. Odd, so that lanes
  /// writing theirs meet no bank conflicts.
  static constexpr int before = Coils == 1 ? 1 : 0, along = Coils == 1 ? 9 : Width;
  static constexpr int stride = (along + (Dims - 1) * Width) | 1;
  /// Rows are counted along z first for one coil, along y first for two and in 2D. After so many steps a lane's row has the
  /// same place along that axis again.
  static constexpr bool along_y = Dims == 2 || Coils == 2;
  static constexpr int period = Width / std::gcd(at_once, Width);
  static constexpr int weights = 32 * stride;  // of one warp's samples
  static constexpr std::size_t scratch(int warps) {
    return static_cast<std::size_t>(boxes * box.quads()) * sizeof(float4) +
           static_cast<std::size_t>(warps * weights) * sizeof(float);
  }
};

/// Calls f with the grid's dimensions and the kernel's width as constants.
template <int Width = 2, class F>
void with_kernel(TileGrid const& g, F const& f) {
  if constexpr (Width < kWidestBox) {
    if (g.width > Width) return with_kernel<Width + 1>(g, f);
  }
  if (g.dims == 2) return f(std::integral_constant<int, 2>{}, std::integral_constant<int, Width>{});
  f(std::integral_constant<int, 3>{}, std::integral_constant<int, Width>{});
}
/// A piece's boxes of so many coils, one of two coils or two side by side counted once.
inline int box_layers(int coils) {
  return (coils + 1) / 2;
}

#if defined(__CUDACC__)

/// A sample's place within its cell, along each axis.
template <int Dims>
struct Fraction {
  float along[Dims];
  __device__ Fraction(SortedSamples<float> const& samples, unsigned sample) {
#pragma unroll
    for (int d = 0; d < Dims; ++d) along[d] = samples.fraction[d][sample];
  }
};

/// The weights of this lane's sample.
template <class Shape>
__device__ void write_box_weights(Polynomials<float> const& kernel, Fraction<Shape::dims> const& fraction,
                                  float* w) {
  constexpr int width = Shape::width;
#pragma unroll
  for (int j = 0; j < Shape::before; ++j) w[j] = 0;
#pragma unroll
  for (int j = Shape::before + width; j < Shape::along; ++j) w[j] = 0;
#pragma unroll
  for (int j = 0; j < width; ++j) {
    float weight[Shape::dims];
    kernel.weights(j, fraction.along, weight);
    w[Shape::before + j] = weight[0];
#pragma unroll
    for (int d = 1; d < Shape::dims; ++d) w[Shape::along + (d - 1) * width + j] = weight[d];
  }
}

/// Where this lane's quads lie from a patch's first one and the weights of its rows among a sample's, the same for every
/// sample.
template <class Shape>
struct BoxRows {
  static constexpr bool kAll = Shape::across * Shape::at_once == Shape::lanes;  // lanes have a row
  int from[Shape::steps], first_axis[Shape::steps], second_axis[Shape::steps];
  bool some, last;  // whether the lane has one in all steps but the last; in the last
  __device__ BoxRows() : some(kAll || lane() < Shape::across * Shape::at_once), last(true) {
#pragma unroll
    for (int k = 0; k < Shape::steps; ++k) {
      int const row = k * Shape::at_once + lane() / Shape::across;
      last = some && row < Shape::rows;
      int const first = last ? row % Shape::width : 0, second = last ? row / Shape::width : 0;
      int const y = Shape::along_y ? first : second, z = Shape::along_y ? second : first;
      from[k] = z * Shape::box.plane + y * Shape::box.row + lane() % Shape::across;
      first_axis[k] = Shape::along + (Shape::along_y ? y : Shape::width + z);
      second_axis[k] = Shape::along + (Shape::along_y ? Shape::width + z : y);
    }
  }
  __device__ bool has(int step) const {
    return step == Shape::steps - 1 ? last : some;
  }

 private:
  __device__ static int lane() {
    return static_cast<int>(threadIdx.x % Shape::lanes);
  }
};

/// What a lane needs of a sample.
template <class Shape>
struct Patch {
  int quad;                       // the first one
  float a, b, row[Shape::steps];  // weights of the halves of the lane's quads, and of its rows
  /// at: as BinPlace::in_box gives it.
  __device__ Patch(BoxRows<Shape> const& rows, float const* w, int at) : quad(at / Shape::box.cells) {
    int const lane = threadIdx.x % 32;
    if constexpr (Shape::coils == 1) {
      float const* const x = w + lane % 4 * 2 + 1 - (at & 1);
      a = x[0];
      b = x[1];
    } else {
      a = b = w[lane % Shape::across];
    }
#pragma unroll
    for (int k = 0; k < Shape::steps && k < Shape::period; ++k) row[k] = w[rows.first_axis[k]];
    if constexpr (Shape::dims == 3) {
#pragma unroll
      for (int k = Shape::steps - 1; k >= 0; --k) row[k] = row[k % Shape::period] * w[rows.second_axis[k]];
    }
  }
};

struct BinPlace {
  int first[3];
  __device__ BinPlace(TileGrid const& g, int bin)
      : first{g.first_cell(0, bin % g.tiles[0]), g.first_cell(1, bin / g.tiles[0] % g.tiles[1]),
              g.first_cell(2, bin / (g.tiles[0] * g.tiles[1]))} {}
  /// Cells from the box' first one on.
  __device__ int in_box(Box const& box, Cell const& c) const {
    return ((c.z - first[2]) * box.plane + (c.y - first[1]) * box.row) * box.cells + c.x - first[0];
  }
};

#endif

}  // namespace findrho::nufft
