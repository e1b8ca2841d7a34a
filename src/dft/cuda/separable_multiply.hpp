// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of the float units' products: a thread's 8 x 8 numbers of a 128 x 128 tile.
#pragma once

namespace findrho::ladder {
namespace {

__device__ inline void load_eight(float (&to)[8], float const* from) {
  float4 const low = *reinterpret_cast<float4 const*>(from);
  float4 const high = *reinterpret_cast<float4 const*>(from + 64);
  to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
  to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
}

/// sums += left x right, kDeep deep, both with kWide numbers for every step. Numbers 4 i .. 4 i + 3 and
/// 64 + 4 i .. 64 + 4 i + 3 of either belong to thread i of sixteen: no two lanes meet in a bank.
template <int kDeep, int kWide>
__device__ inline void multiply(float (&sums)[8][8], float const* left, float const* right) {
#pragma unroll 8
  for (int k = 0; k < kDeep; ++k) {
    float l[8], r[8];
    load_eight(l, left + k * kWide);
    load_eight(r, right + k * kWide);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sums[i][j] += l[i] * r[j];
    }
  }
}

}  // namespace
}  // namespace findrho::ladder
