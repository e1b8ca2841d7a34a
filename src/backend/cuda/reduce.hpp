// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: sums over all blocks of a kernel in a fixed order, finished by the block that comes last or by each
// block, so that no second kernel is needed and the bytes never change.
#pragma once
#include <cuda_runtime.h>

namespace findrho::device {

constexpr int kReduceThreads = 512, kReduceBlocks = 264;

template <class T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

/// The sum of what a kernel before left, in all threads, of the same order in every block.
__device__ inline double sum_of_parts(double const* parts, unsigned count) {
  double sum = 0;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += kReduceThreads) sum += parts[i];
  __shared__ double of_warp[kReduceThreads / 32];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (double part : of_warp) sum += part;
  return sum;
}

/// The first half of sums over a grid of at most kReduceBlocks: adds K sums of every thread of this block; two lanes
/// (double: four) in T, then in double, to partial[k * gridDim.x + block]. The loops over k stay loops: unrolled, they are
/// kilobytes of instructions that every launch fetches anew, which took longer than the sums (docs/design/cuda.md).
template <int K, class T>
__device__ void sum_over_block(T const (&mine)[K], double* partial) {
  constexpr int kWarps = kReduceThreads / 32, kLanes = sizeof(T) == sizeof(double) ? 8 : 16;
  __shared__ T of_lanes[K][kWarps * kLanes];
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    T sum = mine[k];
#pragma unroll
    for (int offset = 16; offset >= kLanes; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane < kLanes) of_lanes[k][warp * kLanes + lane] = sum;
  }
  __syncthreads();
#pragma unroll 1
  for (int k = warp; k < K; k += kWarps) {
    double sum = 0;
    for (int i = lane; i < kWarps * kLanes; i += 32) sum += static_cast<double>(of_lanes[k][i]);
    sum = warp_sum(sum);
    if (lane == 0) partial[k * gridDim.x + blockIdx.x] = sum;
  }
}

/// The second half, for one block or each of them: total[K], in shared memory, once all have written theirs.
template <int K>
__device__ void sum_over_blocks(double const* partial, double* total) {
  constexpr int kWarps = kReduceThreads / 32, kRounds = (kReduceBlocks + 31) / 32;
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll 1
  for (int k = warp; k < K; k += kWarps) {
    double of_block[kRounds];  // all on their way at once
#pragma unroll
    for (int i = 0; i < kRounds; ++i) {
      unsigned const b = i * 32 + lane;
      of_block[i] = b < gridDim.x ? __ldcg(partial + k * gridDim.x + b) : 0;
    }
    double sum = 0;
#pragma unroll
    for (double part : of_block) sum += part;
    sum = warp_sum(sum);
    if (lane == 0) total[k] = sum;
  }
  __syncthreads();
}

/// Both halves, where blocks need not run at the same time: true in all threads of the block that comes last, which then
/// finds the sums in total[K]; partial has K * gridDim.x elements, ticket is 0 before and after.
template <int K, class T>
__device__ bool sum_over_grid(T const (&mine)[K], double* partial, unsigned* ticket, double* total) {
  __shared__ bool last;
  sum_over_block(mine, partial);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return false;
  __threadfence();
  if (threadIdx.x == 0) *ticket = 0;
  sum_over_blocks<K>(partial, total);
  return true;
}

}  // namespace findrho::device
