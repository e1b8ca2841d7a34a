// SPDX-License-Identifier: BSD-3-Clause
// Inside kernels: whole numbers added over a launch (modulo 2^32: exact in any order), and a full-grid index.
#pragma once
#include <cstddef>

namespace findrho {

/// All lanes of the warp call it.
__device__ inline void add_over_warp(unsigned* to, unsigned value) {
  unsigned const sum = __reduce_add_sync(0xffffffffu, value);
  if (threadIdx.x % 32 == 0) atomicAdd(to, sum);
}

__device__ inline std::size_t grid_index() {
  return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
}
__device__ inline std::size_t grid_size() {
  return gridDim.x * std::size_t{blockDim.x};
}

}  // namespace findrho
