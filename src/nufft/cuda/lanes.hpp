// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: sums over the lanes of a warp.
#pragma once

namespace findrho::nufft {

/// value[i] summed over all lanes, for the i that the returned index names; lanes that share an i hold the same.
template <int N, class T>
__device__ int sum_over_lanes(T (&value)[N]) {
  int const lane = threadIdx.x % 32;
  int index = 0, offset = 16;
#pragma unroll
  for (int n = N; n > 1; n /= 2, offset /= 2) {
    bool const upper = (lane & offset) != 0;
#pragma unroll
    for (int i = 0; i < n / 2; ++i) {
      T const keep = upper ? value[n / 2 + i] : value[i], send = upper ? value[i] : value[n / 2 + i];
      value[i] = keep + __shfl_xor_sync(0xffffffffU, send, offset);
    }
    index = 2 * index + (upper ? 1 : 0);
  }
  for (; offset > 0; offset /= 2) value[0] += __shfl_xor_sync(0xffffffffU, value[0], offset);
  return index;
}

}  // namespace findrho::nufft
