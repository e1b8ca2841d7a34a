// SPDX-License-Identifier: BSD-3-Clause
// Inside kernels: whole numbers added over a launch (modulo 2^32: exact in any order), and a full-grid index.
#pragma once
#include <cstddef>

namespace findrho {

/// All threads of the block call it, once. One atomic addition a block: they would be what is timed otherwise.
__device__ inline void add_over_block(unsigned* to, unsigned value) {
  __shared__ unsigned sums[32];
  unsigned const sum = __reduce_add_sync(0xffffffffu, value);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned total = 0;
  for (unsigned w = 0; w < (blockDim.x + 31) / 32; ++w) total += sums[w];
  atomicAdd(to, total);
}

/// Adds read(i) over i = first .. first + 8 turns blockDim: eight independent reads at a time.
template <class Read>
__device__ unsigned sum_of_reads(std::size_t first, std::size_t count, int turns, Read read) {
  unsigned sum = 0;
  std::size_t i = first + threadIdx.x;
  for (int turn = 0; turn < turns; ++turn) {
    unsigned v[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] = i + j * blockDim.x < count ? read(i + j * blockDim.x) : 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += v[j];
    i += 8 * blockDim.x;
  }
  return sum;
}

__device__ inline std::size_t grid_index() {
  return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
}
__device__ inline std::size_t grid_size() {
  return gridDim.x * std::size_t{blockDim.x};
}

}  // namespace findrho
