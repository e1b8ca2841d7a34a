// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: sums over all blocks of a kernel in a fixed order, finished by the block that comes last, so that no
// second kernel is needed and the bytes never change.
#pragma once
#include <cuda_runtime.h>

namespace findrho::device {

constexpr int kReduceThreads = 256, kReduceBlocks = 528;

template <class T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

/// Adds K sums of every thread of the grid, those of a warp in T, then in double. True in all threads of the last block,
/// which then finds them in total[K], in shared memory; partial has K * gridDim.x elements, ticket is 0 before and after.
template <int K, class T>
__device__ bool sum_over_grid(T const (&mine)[K], double* partial, unsigned* ticket, double* total) {
  constexpr int kWarps = kReduceThreads / 32;
  __shared__ double of_warp[K][kWarps];
  __shared__ bool last;
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    T const sum = warp_sum(mine[k]);
    if (lane == 0) of_warp[k][warp] = static_cast<double>(sum);
  }
  __syncthreads();
  if (threadIdx.x < K) {
    double sum = 0;
    for (int w = 0; w < kWarps; ++w) sum += of_warp[threadIdx.x][w];
    partial[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return false;
  __threadfence();
  for (int k = warp; k < K; k += kWarps) {
    double sum = 0;
    for (unsigned b = lane; b < gridDim.x; b += 32) sum += __ldcg(partial + k * gridDim.x + b);
    sum = warp_sum(sum);
    if (lane == 0) total[k] = sum;
  }
  if (threadIdx.x == 0) *ticket = 0;
  __syncthreads();
  return true;
}

}  // namespace findrho::device
