// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: sums over the lanes of a warp.
#pragma once

namespace findrho::nufft {

/// The rest of sum_over_lanes, when values[0 .. Left) remain to be summed over the lanes that differ in bits up to
/// Offset. By recursion: a loop of so many values is not unrolled, and the array then lies in memory.
template <int Left, int Offset, int N, class T>
__device__ int sum_over_bits(T (&value)[N], int index) {
  if constexpr (Offset == 0) {
    return index;
  } else if constexpr (Left == 1) {
    value[0] += __shfl_xor_sync(0xffffffffU, value[0], Offset);
    return sum_over_bits<1, Offset / 2>(value, index);
  } else {
    bool const upper = (threadIdx.x & Offset) != 0;
#pragma unroll
    for (int i = 0; i < Left / 2; ++i) {
      T const keep = upper ? value[Left / 2 + i] : value[i], send = upper ? value[i] : value[Left / 2 + i];
      value[i] = keep + __shfl_xor_sync(0xffffffffU, send, Offset);
    }
    return sum_over_bits<Left / 2, Offset / 2>(value, 2 * index + (upper ? 1 : 0));
  }
}

/// value[i] summed over all lanes, or over each half of them, for the i that the returned index names; lanes that share an
/// i hold the same.
template <int Lanes = 32, int N, class T>
__device__ int sum_over_lanes(T (&value)[N]) {
  return sum_over_bits<N, Lanes / 2>(value, 0);
}

}  // namespace findrho::nufft
