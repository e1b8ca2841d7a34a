// SPDX-License-Identifier: BSD-3-Clause
// What is made of a plan's moves: the spectrum of Q, and density weights by Pipe and Menon (pipe_menon.hpp).
#include <cub/block/block_reduce.cuh>

#include "backend/cuda/launch.hpp"
#include "nufft/cuda/plan.hpp"

namespace findrho::nufft {
namespace {

constexpr int kLanes = 256;

unsigned blocks_for(std::int64_t n) {
  return static_cast<unsigned>((n + kLanes - 1) / kLanes);
}

__global__ void __launch_bounds__(kLanes) fill_ones(int count, float2* samples) {
  int const i = blockIdx.x * kLanes + threadIdx.x;
  if (i < count) samples[i] = {1, 0};
}

/// Weights, or 1, times the phase exp(i 2 pi k h / N), h = floor(N/2), which moves lag h of the slowest axis to the middle of
/// a box of N voxels.
template <class T>
__global__ void __launch_bounds__(kLanes)
    turned_weights(T const* weights, double const* k, int count, double turns, Complex<T>* samples) {
  int const i = blockIdx.x * kLanes + threadIdx.x;
  if (i >= count) return;
  double sine, cosine;
  sincospi(2 * turns * k[i], &sine, &cosine);
  T const w = weights != nullptr ? weights[i] : T(1);
  samples[i] = {w * static_cast<T>(cosine), w * static_cast<T>(sine)};
}

struct Lags {
  int slowest;  // axis
  int matrix[3],
      grid[3];  // matrix: 2N an axis, voxel n is lag n - N; but N along the slowest, where it is lag n
};

/// Voxel of a grid cell, or -1 where the lag is -N or beyond: those are left out, so that the spectrum is real.
__device__ int voxel_of_lag(int matrix, int grid, int cell) {
  int const n = matrix / 2;
  if (cell < n) return n + cell;
  return cell > grid - n ? cell - (grid - n) : -1;
}

template <class T>
__global__ void __launch_bounds__(kLanes) place_lags(Lags const lags, Complex<T> const* q, Complex<T>* to) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  std::int64_t const plane = static_cast<std::int64_t>(lags.grid[0]) * lags.grid[1];
  if (i >= plane * lags.grid[2]) return;
  int const cell[3] = {static_cast<int>(i % lags.grid[0]), static_cast<int>(i / lags.grid[0] % lags.grid[1]),
                       static_cast<int>(i / plane)};
  std::int64_t voxel = 0;
  bool inside = true;
  for (int d = 2; d >= 0; --d) {
    int const v = d < lags.slowest ? voxel_of_lag(lags.matrix[d], lags.grid[d], cell[d]) : cell[d];
    inside = inside && v >= 0 && v < lags.matrix[d];
    voxel = voxel * lags.matrix[d] + v;
  }
  T const share = cell[lags.slowest] == 0 ? T(0.5) : T(1);
  Complex<T> const at = inside ? q[voxel] : Complex<T>{0, 0};
  to[i] = {share * at.x, share * at.y};
}

template <class T>
__global__ void __launch_bounds__(kLanes)
    real_parts(Complex<T> const* from, std::int64_t count, T scale, T* to) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  if (i < count) to[i] = scale * from[i].x;
}

__global__ void __launch_bounds__(kLanes) divide(float2* weights, float2 const* by, int count) {
  int const i = blockIdx.x * kLanes + threadIdx.x;
  if (i < count) weights[i] = {weights[i].x / by[i].x, 0};
}

struct Cells {
  int dims, count;
  long long matrix[3];
  double const* k[3];
};

/// Marks the unit cells that hold a sample; the edge +N/2 belongs to the last cell.
__global__ void __launch_bounds__(kLanes) mark_cells(Cells const c, unsigned char* filled) {
  int const i = blockIdx.x * kLanes + threadIdx.x;
  if (i >= c.count) return;
  long long cell = 0;
  for (int d = c.dims - 1; d >= 0; --d) {
    double const k = floor(c.k[d][i] + 0.5) + static_cast<double>(c.matrix[d] / 2);
    cell =
        cell * c.matrix[d] + static_cast<long long>(fmin(fmax(k, 0.0), static_cast<double>(c.matrix[d] - 1)));
  }
  filled[cell] = 1;
}

struct Area {
  unsigned long long cells;
  double weights;
};

/// Counts filled cells, one-cell gaps closed. Integers: the order of the blocks does not matter.
__global__ void __launch_bounds__(kLanes)
    count_cells(Cells const c, unsigned char const* filled, Area* area) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  std::int64_t const voxels = c.matrix[0] * c.matrix[1] * c.matrix[2];
  bool inside = i < voxels && filled[i] != 0;
  std::int64_t step = 1;
  for (int d = 0; d < c.dims && !inside && i < voxels; ++d) {
    std::int64_t const position = i / step % c.matrix[d];
    inside = position > 0 && position + 1 < c.matrix[d] && filled[i - step] != 0 && filled[i + step] != 0;
    step *= c.matrix[d];
  }
  int const here = __syncthreads_count(inside ? 1 : 0);
  if (threadIdx.x == 0 && here > 0) atomicAdd(&area->cells, static_cast<unsigned long long>(here));
}

/// One block, in double: always in the same order.
__global__ void __launch_bounds__(1024) sum_weights(float const* weights, int count, Area* area) {
  using Reduce = cub::BlockReduce<double, 1024>;
  __shared__ typename Reduce::TempStorage scratch;
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += 1024) sum += weights[i];
  sum = Reduce(scratch).Sum(sum);
  if (threadIdx.x == 0) area->weights = sum;
}

__global__ void __launch_bounds__(kLanes)
    scale_weights(float* weights, int count, Area const* area, double voxels) {
  int const i = blockIdx.x * kLanes + threadIdx.x;
  if (i >= count) return;
  double const factor = static_cast<double>(area->cells) / voxels / area->weights;
  weights[i] = static_cast<float>(weights[i] * factor);
}

}  // namespace

// Q(-l) = conj(Q(l)): the lags from 0 on of the slowest axis suffice, with those at 0 halved; the spectrum is twice the
// real part of their transform.
template <class T>
void Plan<T>::spectrum(void const* weights, double const* slowest_k, long long const* grid, double scale,
                       void* result) {
  int const count = sorted_.view().count;
  Lags lags{.slowest = dims_ - 1, .matrix = {}, .grid = {}};
  std::int64_t points = 1;
  for (int d = 0; d < 3; ++d) {
    long long const n = d < lags.slowest ? matrix_[d] / 2 : matrix_[d];
    if (grid[d] < 2 * n - 1) {
      throw ModuleFailure(CudaFault::bad_argument, "a grid of " + std::to_string(grid[d]) +
                                                       " points does not hold the lags of " +
                                                       std::to_string(n) + " voxels");
    }
    lags.matrix[d] = static_cast<int>(matrix_[d]);
    lags.grid[d] = static_cast<int>(grid[d]);
    points *= grid[d];
  }
  Buffer<C> samples(session_, static_cast<std::size_t>(count)),
      q(session_, static_cast<std::size_t>(voxels()));
  long long const n = matrix_[lags.slowest];
  turned_weights<T><<<blocks_for(count + 1), kLanes, 0, session_.stream>>>(
      static_cast<T const*>(weights), slowest_k, count, static_cast<double>(n / 2) / static_cast<double>(n),
      samples.get());
  adjoint(samples.get(), nullptr, q.get(), 1, 0);
  Buffer<C> placed(session_, static_cast<std::size_t>(points));
  place_lags<T><<<blocks_for(points), kLanes, 0, session_.stream>>>(lags, q.get(), placed.get());
  CufftPlan(session_, findrho::fft_record(dims_, grid, 1, sizeof(T) == sizeof(double)))
      .run(placed.get(), CUFFT_FORWARD);
  real_parts<T><<<blocks_for(points), kLanes, 0, session_.stream>>>(
      placed.get(), points, static_cast<T>(2 * scale), static_cast<T*>(result));
  check_launch("real_parts");
}

// Samples and lags, then the lags on the grid.
template <class T>
long long Plan<T>::spectrum_bytes(long long const* grid) {
  long long const elements = sorted_.view().count + voxels() + grid[0] * grid[1] * grid[2];
  return bytes(1) + elements * static_cast<long long>(sizeof(C)) +
         static_cast<long long>(CufftPlan::work_bytes(
             session_, findrho::fft_record(dims_, grid, 1, sizeof(T) == sizeof(double))));
}

template <class T>
void Plan<T>::pipe_menon(float*, int) {
  throw ModuleFailure(CudaFault::not_supported, "density weights are computed in single precision");
}

template <>
void Plan<float>::pipe_menon(float* weights, int iterations) {
  int const count = sorted_.view().count;
  if (count == 0) return;
  Buffer<C> w(session_, static_cast<std::size_t>(count)),
      convolved(session_, static_cast<std::size_t>(count));
  fill_ones<<<blocks_for(count), kLanes, 0, session_.stream>>>(count, w.get());
  reserve(1);
  for (int i = 0; i < iterations; ++i) {
    spread_pass(w.get(), 1);
    interpolate_pass(convolved.get(), 1, 0);
    divide<<<blocks_for(count), kLanes, 0, session_.stream>>>(w.get(), convolved.get(), count);
  }
  real_parts<float><<<blocks_for(count), kLanes, 0, session_.stream>>>(w.get(), count, 1.0F, weights);
  check_launch("real_parts");
}

template <class T>
void Plan<T>::normalise(double const* const k[3], float* weights) {
  int const count = sorted_.view().count;
  if (count == 0) return;
  Cells const cells{dims_, count, {matrix_[0], matrix_[1], matrix_[2]}, {k[0], k[1], k[2]}};
  Buffer<unsigned char> filled(session_, static_cast<std::size_t>(voxels()));
  Buffer<Area> area(session_, 1);
  filled.fill(0);
  area.fill(0);
  cudaStream_t const stream = session_.stream;
  mark_cells<<<blocks_for(count), kLanes, 0, stream>>>(cells, filled.get());
  count_cells<<<blocks_for(voxels()), kLanes, 0, stream>>>(cells, filled.get(), area.get());
  sum_weights<<<1, 1024, 0, stream>>>(weights, count, area.get());
  scale_weights<<<blocks_for(count), kLanes, 0, stream>>>(weights, count, area.get(),
                                                          static_cast<double>(voxels()));
  check_launch("scale_weights");
}

template void Plan<float>::spectrum(void const*, double const*, long long const*, double, void*);
template void Plan<double>::spectrum(void const*, double const*, long long const*, double, void*);
template long long Plan<float>::spectrum_bytes(long long const*);
template long long Plan<double>::spectrum_bytes(long long const*);
template void Plan<double>::pipe_menon(float*, int);
template void Plan<float>::normalise(double const* const[3], float*);
template void Plan<double>::normalise(double const* const[3], float*);

}  // namespace findrho::nufft
