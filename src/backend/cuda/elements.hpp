// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: a functor called for every element, one thread each.
#pragma once
#include <algorithm>
#include <cstdint>

#include "backend/cuda/check.hpp"

namespace findrho {

template <class F>
__global__ void __launch_bounds__(256) elements_kernel(std::int64_t count, F const f) {
  std::int64_t const step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    f(i);
}

/// f(i) for i < count; f is a functor with a __device__ operator().
template <class F>
void launch_elements(cudaStream_t stream, std::int64_t count, F const& f) {
  if (count == 0) return;
  std::int64_t const blocks = std::min<std::int64_t>((count + 255) / 256, 1 << 20);
  elements_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(count, f);
  check_launch("an element-wise kernel");
}

}  // namespace findrho
