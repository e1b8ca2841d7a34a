// SPDX-License-Identifier: BSD-3-Clause
// Interpolation from boxes: two warps copy the cells that the patches of one piece of a bin reach into shared memory and
// each reads the patches of half of the samples there, four at a time. Against interpolate.cu the cells are fetched once
// for a piece, which pays when it has many samples.
#include <cuda_pipeline.h>

#include "backend/cuda/launch.hpp"
#include "nufft/cuda/boxes.hpp"
#include "nufft/cuda/lanes.hpp"

namespace findrho::nufft {
namespace {

constexpr int kTogether = 4, kWarps = 2, kLanes = 32 * kWarps;

__device__ int wrapped(int cell, int grid) {
  return cell < grid ? cell : cell % grid;
}

/// Starts to copy the bin's cells and those beyond, round the grid's end, into the box: all copies are on their way
/// together, past the registers.
template <class Shape>
__device__ void start_box(TileGrid const& g, BinPlace const& bin, float2 const* grid, float4* quad) {
  constexpr Box box = Shape::box;
  constexpr int row_pairs = box.row / 2, pairs = row_pairs * box.y * box.z;
  for (int i = threadIdx.x; i < pairs; i += kLanes) {
    int const row = i / row_pairs, pair = i % row_pairs, y = row % box.y, z = row / box.y;
    int const x_cell = wrapped(bin.first[0] + 2 * pair, g.grid[0]),
              y_cell = wrapped(bin.first[1] + y, g.grid[1]), z_cell = wrapped(bin.first[2] + z, g.grid[2]);
    std::int64_t const at = (static_cast<std::int64_t>(z_cell) * g.grid[1] + y_cell) * g.grid[0] + x_cell;
    __pipeline_memcpy_async(quad + (z * box.plane + y * box.row) / 2 + pair, grid + at, sizeof(float4));
  }
  __pipeline_commit();
}

template <class Shape>
__device__ float2 read_patch(BoxRows<Shape> const& rows, Patch<Shape> const& patch, float2 const* box) {
  float2 const* const first = box + (patch.at & ~1);
  float4 sum{0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < Shape::steps; ++k) {
    float4 const v = *reinterpret_cast<float4 const*>(first + rows.from[k]);
    float const w = k < Shape::steps - 1 || rows.last ? patch.row[k] : 0;
    sum.x += w * v.x;
    sum.y += w * v.y;
    sum.z += w * v.z;
    sum.w += w * v.w;
  }
  return {patch.a * sum.x + patch.b * sum.z, patch.a * sum.y + patch.b * sum.w};
}

/// blockIdx.y: coil.
template <class Shape>
__global__ void __launch_bounds__(kLanes)
    collect_kernel(__grid_constant__ BoxesJob const job, float2* values, int add) {
  extern __shared__ __align__(16) unsigned char scratch[];
  TileGrid const& g = job.tiles;
  constexpr Box box = Shape::box;
  constexpr int stride = Shape::stride, quads = box.quads();
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4* const quad = reinterpret_cast<float4*>(scratch);
  float2 const* const cells = reinterpret_cast<float2 const*>(scratch);
  float* const weights = reinterpret_cast<float*>(quad + quads) + warp * Shape::weights;
  Piece const piece = job.pieces[blockIdx.x];
  BinPlace const bin(g, piece.bin);
  std::int64_t const grid_cells = static_cast<std::int64_t>(g.grid[0]) * g.grid[1] * g.grid[2];
  start_box<Shape>(g, bin, job.grid + blockIdx.y * grid_cells, quad);
  BoxRows<Shape> const rows;
  float* const out =
      reinterpret_cast<float*>(values + static_cast<std::int64_t>(blockIdx.y) * job.samples.count);
  unsigned const half = piece.first + (piece.last - piece.first + 1) / 2;
  unsigned const first = warp == 0 ? piece.first : half, last = warp == 0 ? half : piece.last;
  __pipeline_wait_prior(0);
  __syncthreads();
  for (unsigned base = first; base < last; base += 32) {
    int const count = min(32U, last - base);
    int at = 0;
    unsigned index = 0;
    __syncwarp();
    if (lane < count) {
      at = bin.in_box(box, job.samples.cell[base + lane]);
      index = job.samples.index[base + lane];
      write_box_weights(Shape{}, job.samples, job.kernel, base + lane, weights + lane * stride);
    }
    __syncwarp();
    for (int i = 0; i < count; i += kTogether) {
      float sum[2 * kTogether];
#pragma unroll
      for (int j = 0; j < kTogether; ++j) {
        int const n = min(i + j, count - 1);
        float2 const v =
            read_patch(rows, Patch<Shape>(weights + n * stride, __shfl_sync(kAllLanes, at, n)), cells);
        sum[2 * j] = v.x;
        sum[2 * j + 1] = v.y;
      }
      int const which = sum_over_lanes(sum), n = i + which / 2;
      unsigned const m = __shfl_sync(kAllLanes, index, min(n, count - 1));
      if (lane % (16 / kTogether) != 0 || n >= count) continue;
      float* const to = out + 2 * static_cast<std::int64_t>(m) + which % 2;
      *to = add != 0 ? *to + sum[0] : sum[0];
    }
  }
}

template <class Shape>
void launch(cudaStream_t stream, BoxesJob const& job, float2* values, int coils, int add) {
  if (job.piece_count == 0) return;
  dim3 const blocks(static_cast<unsigned>(job.piece_count), static_cast<unsigned>(coils));
  collect_kernel<Shape><<<blocks, kLanes, Shape::scratch(kWarps), stream>>>(job, values, add);
  check_launch("collect");
}

}  // namespace

void collect(cudaStream_t stream, BoxesJob const& job, float2* values, int coils, int add) {
  with_box_shape(job.tiles, [&](auto shape) { launch<decltype(shape)>(stream, job, values, coils, add); });
}

}  // namespace findrho::nufft
