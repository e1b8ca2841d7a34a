// SPDX-License-Identifier: BSD-3-Clause
// Interpolation: a warp takes 32 sorted samples, whose patches overlap and stay in the caches. Lane after lane computes
// the weights of its own sample; then the warp gathers one patch after the other, two cells a lane.
#include "backend/cuda/launch.hpp"
#include "nufft/cuda/lanes.hpp"
#include "nufft/cuda/moves.hpp"

namespace findrho::nufft {
namespace {

constexpr int kLanes = 128, kWarps = kLanes / 32;
constexpr unsigned kAll = 0xffffffffU;

/// Weights of a sample: along x, y, z, W each, and a zero. Odd, so that lanes writing theirs meet no bank conflicts.
__host__ __device__ int weight_stride(int width) {
  return (3 * width + 1) | 1;
}

/// A patch is gathered in rows, `pairs` lanes a row from an even cell on: W + 1 cells at most.
__host__ __device__ int pairs_of_row(int width) {
  return width < 8 ? 4 : width < 16 ? 8 : 16;
}

template <class T>
__device__ void write_weights(InterpolateJob<T> const& job, int sample, T* w) {
  int const width = job.kernel.width, dims = job.tiles.dims;
  T s[3];
  for (int d = 0; d < 3; ++d) s[d] = d < dims ? job.samples.fraction[d][sample] : T(0);
  for (int j = 0; j < width; ++j) {
    T weight[3];
    job.kernel.weights(j, s, weight);
    w[j] = weight[0];
    w[width + j] = weight[1];
    w[2 * width + j] = dims == 3 ? weight[2] : T(1);
  }
  w[3 * width] = 0;
}

__device__ int wrapped(int cell, int grid) {
  if (cell < grid) return cell;
  cell -= grid;
  return cell < grid ? cell : cell % grid;  // again: a patch wider than the grid
}

/// Sums of one patch over this lane's cells, real and imaginary parts of coil after coil.
template <class T, int Coils>
__device__ void gather(InterpolateJob<T> const& job, int x0, int y0, int z0, T const* w,
                       T (&sum)[2 * Coils]) {
  TileGrid const& g = job.tiles;
  int const width = job.kernel.width, pairs = pairs_of_row(width), rows = 32 / pairs, lane = threadIdx.x % 32;
  int const j = lane % pairs * 2 - (x0 & 1);
  if (j >= width) return;
  T const wa = j >= 0 ? w[j] : T(0), wb = j + 1 < width ? w[j + 1] : T(0);
  int const x = wrapped(x0 + j, g.grid[0]), depth = g.width_of(2);
  std::int64_t const cells = static_cast<std::int64_t>(g.grid[0]) * g.grid[1] * g.grid[2];
  int const row = lane / pairs, down = rows % width, back = rows / width;
  int y = row % width, z = row / width;
  while (z < depth) {
    int const at = (wrapped(z0 + z, g.grid[2]) * g.grid[1] + wrapped(y0 + y, g.grid[1]));
    Complex<T> const* from = job.grid + static_cast<std::int64_t>(at) * g.grid[0] + x;
    T const rest = w[width + y] * w[2 * width + z], a = wa * rest, b = wb * rest;
#pragma unroll
    for (int q = 0; q < Coils; ++q) {
      Pair<T> const v = *reinterpret_cast<Pair<T> const*>(from + q * cells);
      sum[2 * q] += a * v.a.x + b * v.b.x;
      sum[2 * q + 1] += a * v.a.y + b * v.b.y;
    }
    y += down;
    z += back;
    if (y >= width) {
      y -= width;
      ++z;
    }
  }
}

/// Rows of a patch that a lane takes part in, the same ones for every sample: where they lie from the patch's first cell
/// and where their weights are. For patches within the grid of up to 7 x 7 rows and up to 8 cells from an even one on.
template <int Steps>
struct Rows {
  int from[Steps], y[Steps], z[Steps];
  __device__ Rows(TileGrid const& g) {
    int const lane = threadIdx.x % 32, width = g.width;
#pragma unroll
    for (int k = 0; k < Steps; ++k) {
      int const row = k * 8 + lane / 4, dy = row % width, dz = row / width;
      bool const inside = dz < g.width_of(2);
      from[k] = inside ? (dz * g.grid[1] + dy) * g.grid[0] + lane % 4 * 2 : lane % 4 * 2;
      y[k] = width + dy;
      z[k] = inside ? 2 * width + dz : 3 * width;
    }
  }
};

constexpr int kNarrow = 7;  // the widest kernel for Rows

/// First cell of a patch, counted through the grid from an even cell on, its parity in bit 0; -1 where the patch is not
/// within the grid.
__device__ int narrow_patch(TileGrid const& g, Cell const& c) {
  int const even = c.x & ~1;
  if (g.width > kNarrow || even + 8 > g.grid[0] || c.y + g.width > g.grid[1] ||
      c.z + g.width_of(2) > g.grid[2])
    return -1;
  std::int64_t const at = (static_cast<std::int64_t>(c.z) * g.grid[1] + c.y) * g.grid[0] + even;
  return at < 0x7fffffff ? static_cast<int>(at) | (c.x & 1) : -1;
}

template <class T, int Coils, int Steps>
__device__ void gather_narrow(InterpolateJob<T> const& job, Rows<Steps> const& rows, int patch, T const* w,
                              T (&sum)[2 * Coils]) {
  TileGrid const& g = job.tiles;
  int const width = g.width, lane = threadIdx.x % 32, steps = (width * g.width_of(2) + 7) / 8;
  int const j = lane % 4 * 2 - (patch & 1);
  T const wa = w[j >= 0 && j < width ? j : 3 * width], wb = w[j + 1 < width ? j + 1 : 3 * width];
  std::int64_t const cells = static_cast<std::int64_t>(g.grid[0]) * g.grid[1] * g.grid[2];
  Complex<T> const* const base = job.grid + (patch & ~1);
#pragma unroll
  for (int k = 0; k < Steps; ++k) {
    if (k >= steps) break;
    T const rest = w[rows.y[k]] * w[rows.z[k]], a = wa * rest, b = wb * rest;
#pragma unroll
    for (int q = 0; q < Coils; ++q) {
      Pair<T> const v = *reinterpret_cast<Pair<T> const*>(base + q * cells + rows.from[k]);
      sum[2 * q] += a * v.a.x + b * v.b.x;
      sum[2 * q + 1] += a * v.a.y + b * v.b.y;
    }
  }
}

template <class T, int Coils, int Steps>
__global__ void __launch_bounds__(kLanes) interpolate_kernel(__grid_constant__ InterpolateJob<T> const job) {
  extern __shared__ __align__(16) unsigned char scratch[];
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32, stride = weight_stride(job.kernel.width);
  T* const w = reinterpret_cast<T*>(scratch) + warp * 32 * stride;
  int const first = (blockIdx.x * kWarps + warp) * 32, count = min(32, job.samples.count - first);
  if (count <= 0) return;
  Cell cell{};
  unsigned index = 0;
  if (lane < count) {
    cell = job.samples.cell[first + lane];
    index = job.samples.index[first + lane];
    write_weights(job, first + lane, w + lane * stride);
  }
  __syncwarp();
  Rows<Steps> const rows(job.tiles);
  int const patch = narrow_patch(job.tiles, cell), xy = cell.x | cell.y << 16, z = cell.z;
  for (int i = 0; i < count; ++i) {
    int const at = __shfl_sync(kAll, patch, i);
    unsigned const m = __shfl_sync(kAll, index, i);
    T sum[2 * Coils]{};
    if (at >= 0) {
      gather_narrow<T, Coils>(job, rows, at, w + i * stride, sum);
    } else {
      int const at_xy = __shfl_sync(kAll, xy, i), at_z = __shfl_sync(kAll, z, i);
      gather<T, Coils>(job, at_xy & 0xffff, static_cast<int>(static_cast<unsigned>(at_xy) >> 16), at_z,
                       w + i * stride, sum);
    }
    __syncwarp();
    int const which = sum_over_lanes(sum);
    // Lanes whose remaining bits are 0 write, one for each value.
    if (lane % (16 / Coils) != 0) continue;
    T* const to =
        reinterpret_cast<T*>(job.values + static_cast<std::int64_t>(which / 2) * job.samples.count + m) +
        which % 2;
    *to = job.add != 0 ? *to + sum[0] : sum[0];
  }
}

template <class T, int Coils, int Steps>
void launch_steps(cudaStream_t stream, InterpolateJob<T> const& job) {
  auto const scratch = static_cast<std::size_t>(kLanes * weight_stride(job.kernel.width)) * sizeof(T);
  if (scratch > 48 * 1024) {
    FINDRHO_CHECK(cudaFuncSetAttribute(interpolate_kernel<T, Coils, Steps>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(scratch)));
  }
  int const blocks = (job.samples.count + kLanes - 1) / kLanes;
  interpolate_kernel<T, Coils, Steps><<<static_cast<unsigned>(blocks), kLanes, scratch, stream>>>(job);
  check_launch("interpolate");
}

template <class T, int Coils>
void launch(cudaStream_t stream, InterpolateJob<T> const& job) {
  int const width = job.tiles.width, rows = width * job.tiles.width_of(2);
  if (width > kNarrow || rows <= 8) return launch_steps<T, Coils, 1>(stream, job);
  return rows <= 16   ? launch_steps<T, Coils, 2>(stream, job)
         : rows <= 40 ? launch_steps<T, Coils, 5>(stream, job)
                      : launch_steps<T, Coils, 7>(stream, job);
}

}  // namespace

template <class T>
void interpolate(cudaStream_t stream, InterpolateJob<T> const& job, int coils) {
  if (job.samples.count == 0) return;
  if (coils == 1) return launch<T, 1>(stream, job);
  if (coils == 2) return launch<T, 2>(stream, job);
  if (coils == 4) return launch<T, 4>(stream, job);
  if constexpr (kMostCoils<T> == 8) {
    if (coils == 8) return launch<T, 8>(stream, job);
  }
  throw ModuleFailure(CudaFault::bad_argument, "interpolating " + std::to_string(coils) + " coils together");
}

template void interpolate(cudaStream_t, InterpolateJob<float> const&, int);
template void interpolate(cudaStream_t, InterpolateJob<double> const&, int);

}  // namespace findrho::nufft
