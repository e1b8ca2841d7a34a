// SPDX-License-Identifier: BSD-3-Clause
// Spreading, driven by the input: a warp sums the patches of one piece of a bin in shared memory, in a box of the tile's
// cells and those that its patches reach beyond it. No two warps share a box and no two lanes a cell, so nothing is added
// atomically. The boxes go to slots; then each tile of the grid adds up the boxes that reach it, in their order.
// Against spread.cu every sample is worked on once and not in each tile that it reaches, but the boxes pass through
// memory. In single precision, for kernels of up to 7 cells.
#include "backend/cuda/launch.hpp"
#include "nufft/cuda/moves.hpp"

namespace findrho::nufft {
namespace {

constexpr unsigned kAll = 0xffffffffU;
constexpr int kJoinLanes = 256;

/// A box in shared memory and in its slot. Rows hold up to 8 cells from an even one on: W + 1 <= 8. Eight lanes read 128
/// bytes of two neighbouring rows at once, which are half of the banks apart: along z in 3D, along y in 2D.
struct Box {
  int row, plane, y, z;
  __host__ __device__ explicit Box(TileGrid const& g)
      : row(g.dims == 3 ? 14 : 40), plane(0), y(g.tile[1] + g.width - 1), z(g.tile[2] + g.width_of(2) - 1) {
    plane = row * y;
    if (g.dims == 3) plane += (8 - plane % 16 + 16) % 16;
  }
  __host__ __device__ int cells() const { return plane * z; }
};

__host__ __device__ int weight_stride(int width) {
  return (3 * width) | 1;
}

template <int Dims>
constexpr int kSteps = Dims == 3 ? 7 : 1;  // rows of a patch over the 8 that a warp takes at once

/// Rows of a patch that a lane takes part in: cells from the patch's first, and where the row's weights are.
template <int Dims>
struct Rows {
  int from[kSteps<Dims>], y[kSteps<Dims>], z[kSteps<Dims>];
  bool inside[kSteps<Dims>];
  __device__ Rows(TileGrid const& g, Box const& box) {
    int const lane = threadIdx.x, width = g.width;
#pragma unroll
    for (int k = 0; k < kSteps<Dims>; ++k) {
      int const row = k * 8 + lane / 4, dz = Dims == 3 ? row % width : 0, dy = Dims == 3 ? row / width : row;
      inside[k] = dy < width;
      from[k] = dz * box.plane + dy * box.row + lane % 4 * 2;
      y[k] = width + dy;
      z[k] = 2 * width + dz;
    }
  }
};

template <int Dims>
__device__ void write_weights(ScatterJob const& job, unsigned sample, float* w) {
  int const width = job.kernel.width;
  float s[Dims];
#pragma unroll
  for (int d = 0; d < Dims; ++d) s[d] = job.samples.fraction[d][sample];
  for (int j = 0; j < width; ++j) {
    float weight[Dims];
    job.kernel.weights(j, s, weight);
#pragma unroll
    for (int d = 0; d < Dims; ++d) w[d * width + j] = weight[d];
  }
}

/// box += patch * value, all lanes together. at: the patch's first cell from an even one on, its parity in bit 0.
template <int Dims>
__device__ void add_patch(int width, Rows<Dims> const& rows, float const* w, int at, float2 value,
                          float2* box) {
  int const j = threadIdx.x % 4 * 2 - (at & 1), steps = Dims == 3 ? (width * width + 7) / 8 : 1;
  float const wa = j >= 0 && j < width ? w[j] : 0, wb = j + 1 < width ? w[j + 1] : 0;
  float2 const a{wa * value.x, wa * value.y}, b{wb * value.x, wb * value.y};
  float2* const first = box + (at & ~1);
  float4 cells[kSteps<Dims>];
  // All reads before the first write: they are of different cells, which the compiler cannot know.
#pragma unroll
  for (int k = 0; k < kSteps<Dims>; ++k) {
    if (k < steps && rows.inside[k]) cells[k] = *reinterpret_cast<float4*>(first + rows.from[k]);
  }
#pragma unroll
  for (int k = 0; k < kSteps<Dims>; ++k) {
    if (k >= steps || !rows.inside[k]) continue;
    float rest = w[rows.y[k]];
    if constexpr (Dims == 3) rest *= w[rows.z[k]];
    cells[k].x += rest * a.x;
    cells[k].y += rest * a.y;
    cells[k].z += rest * b.x;
    cells[k].w += rest * b.y;
    *reinterpret_cast<float4*>(first + rows.from[k]) = cells[k];
  }
}

/// One warp a block. blockIdx.y: coil.
template <int Dims>
__global__ void __launch_bounds__(32) scatter_kernel(__grid_constant__ ScatterJob const job) {
  extern __shared__ __align__(16) unsigned char scratch[];
  TileGrid const& g = job.tiles;
  Box const box(g);
  int const lane = threadIdx.x, stride = weight_stride(g.width), quads = box.cells() / 2;
  float4* const quad = reinterpret_cast<float4*>(scratch);
  float2* const cells = reinterpret_cast<float2*>(scratch);
  float* const weights = reinterpret_cast<float*>(quad + quads);
  Piece const piece = job.pieces[blockIdx.x];
  int const bin[3] = {piece.bin % g.tiles[0], piece.bin / g.tiles[0] % g.tiles[1],
                      piece.bin / (g.tiles[0] * g.tiles[1])};
  for (int i = lane; i < quads; i += 32) quad[i] = float4{0, 0, 0, 0};
  Rows<Dims> const rows(g, box);
  float2 const* const values = job.values + static_cast<std::int64_t>(blockIdx.y) * job.samples.count;
  for (unsigned base = piece.first; base < piece.last; base += 32) {
    int const count = min(32U, piece.last - base);
    int at = 0;
    float2 value{0, 0};
    __syncwarp();
    if (lane < count) {
      Cell const c = job.samples.cell[base + lane];
      int const x = c.x - g.first_cell(0, bin[0]), y = c.y - g.first_cell(1, bin[1]),
                z = c.z - g.first_cell(2, bin[2]);
      at = z * box.plane + y * box.row + x;
      value = values[job.samples.index[base + lane]];
      write_weights<Dims>(job, base + lane, weights + lane * stride);
    }
    __syncwarp();
    for (int i = 0; i < count; ++i) {
      float2 const v{__shfl_sync(kAll, value.x, i), __shfl_sync(kAll, value.y, i)};
      add_patch<Dims>(g.width, rows, weights + i * stride, __shfl_sync(kAll, at, i), v, cells);
      __syncwarp();
    }
  }
  __syncwarp();
  std::int64_t const slot = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  float4* const to = reinterpret_cast<float4*>(job.slots) + slot * quads;
  for (int i = lane; i < quads; i += 32) to[i] = quad[i];
}

/// A block a tile, a lane two cells of it. blockIdx.y: coil.
__global__ void __launch_bounds__(kJoinLanes) join_kernel(__grid_constant__ ScatterJob const job) {
  TileGrid const& g = job.tiles;
  Box const box(g);
  TileRanges const ranges(g, static_cast<int>(blockIdx.x));
  int const row_pairs = g.tile[0] / 2, pair = threadIdx.x;
  int const tile[3] = {static_cast<int>(blockIdx.x) % g.tiles[0],
                       static_cast<int>(blockIdx.x) / g.tiles[0] % g.tiles[1],
                       static_cast<int>(blockIdx.x) / (g.tiles[0] * g.tiles[1])};
  int const x = g.first_cell(0, tile[0]) + pair % row_pairs * 2;
  int const y = g.first_cell(1, tile[1]) + pair / row_pairs % g.tile[1];
  int const z = g.first_cell(2, tile[2]) + pair / (row_pairs * g.tile[1]);
  if (x >= g.grid[0] || y >= g.grid[1] || z >= g.grid[2]) return;
  // The cell's place in a bin's box; the box may reach round the grid more than once.
  auto const place = [&g](int axis, int cell, int bin) {
    int const at = cell - g.first_cell(axis, bin);
    return at < 0 ? at + g.grid[axis] : at;
  };
  float4 sum{0, 0, 0, 0};
  int const quads = box.cells() / 2;
  float4 const* const slots = reinterpret_cast<float4 const*>(job.slots) +
                              static_cast<std::int64_t>(blockIdx.y) * job.piece_count * quads;
  for (int bz = 0; bz < ranges.run[2].count; ++bz) {
    int const bin_z = (ranges.run[2].first + bz) % g.tiles[2];
    for (int by = 0; by < ranges.run[1].count; ++by) {
      int const bin_y = (ranges.run[1].first + by) % g.tiles[1];
      for (int bx = 0; bx < ranges.run[0].count; ++bx) {
        int const bin_x = (ranges.run[0].first + bx) % g.tiles[0], bin = g.index(bin_x, bin_y, bin_z);
        unsigned const first = job.piece_first[bin], last = job.piece_first[bin + 1];
        if (first == last) continue;
        for (int lz = place(2, z, bin_z); lz < box.z; lz += g.grid[2]) {
          for (int ly = place(1, y, bin_y); ly < box.y; ly += g.grid[1]) {
            for (int lx = place(0, x, bin_x); lx < box.row; lx += g.grid[0]) {
              float4 const* from =
                  slots + static_cast<std::int64_t>(first) * quads + (lz * box.plane + ly * box.row + lx) / 2;
#pragma unroll 4
              for (unsigned i = first; i < last; ++i, from += quads) {
                float4 const v = *from;
                sum.x += v.x;
                sum.y += v.y;
                sum.z += v.z;
                sum.w += v.w;
              }
            }
          }
        }
      }
    }
  }
  std::int64_t const cells = static_cast<std::int64_t>(g.grid[0]) * g.grid[1] * g.grid[2];
  std::int64_t const at = (static_cast<std::int64_t>(z) * g.grid[1] + y) * g.grid[0] + x;
  *reinterpret_cast<float4*>(job.grid + blockIdx.y * cells + at) = sum;
}

template <int Dims>
void launch(cudaStream_t stream, ScatterJob const& job, int coils) {
  std::size_t const scratch = static_cast<std::size_t>(Box(job.tiles).cells()) * sizeof(float2) +
                              static_cast<std::size_t>(32 * weight_stride(job.tiles.width)) * sizeof(float);
  auto const many = static_cast<unsigned>(coils);
  if (job.piece_count > 0) {
    scatter_kernel<Dims><<<dim3(static_cast<unsigned>(job.piece_count), many), 32, scratch, stream>>>(job);
    check_launch("scatter");
  }
  join_kernel<<<dim3(static_cast<unsigned>(job.tiles.count()), many), kJoinLanes, 0, stream>>>(job);
  check_launch("join");
}

}  // namespace

std::size_t scatter_slot_elements(TileGrid const& tiles) {
  return static_cast<std::size_t>(Box(tiles).cells());
}

void scatter(cudaStream_t stream, ScatterJob const& job, int coils) {
  static_assert(kTileCells == 2 * kJoinLanes);
  return job.tiles.dims == 2 ? launch<2>(stream, job, coils) : launch<3>(stream, job, coils);
}

}  // namespace findrho::nufft
