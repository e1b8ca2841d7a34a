// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms of a batch of lines, one line per vector lane, real and imaginary parts apart (private
// header). Stockham's self-sorting algorithm, radix 4, 5, 3, 2: no bit reversal, every access is a whole
// vector.
#pragma once
#include <cstdint>
#include <vector>

#include "findrho/core/array.hpp"

namespace findrho::cpu {

/// Lines per batch: 64 bytes of T, the widest vector register. Narrower targets loop over the batch.
template <class T>
inline constexpr int kLines = static_cast<int>(64 / sizeof(T));

/// Elements that are packed at a time where the lines of a batch are not neighbours in memory.
inline constexpr int kStage = 32;

/// Factors of a length and the roots of unity of each pass.
template <class T>
struct LinePlan {
  explicit LinePlan(std::int64_t length);
  std::int64_t n = 1;
  struct Pass {
    int radix;
    std::int64_t n;        // length that this pass divides by its radix
    std::int64_t stride;   // product of the radices of earlier passes
    std::int64_t twiddle;  // offset into twiddles
  };
  std::vector<Pass> passes;
  std::vector<T> twiddles;  // re, im of exp(-i 2 pi p k / n) for p < n / radix, 0 < k < radix
  std::int64_t scratch() const { return (4 * n + 2 * kStage) * kLines<T>; }
};

/// One side of a batch: element i of lane l is at data[2 * (i * stride + offset[l])], real part first.
/// A lane with a negative offset reads as zero and is not written.
/// It takes part as cell (start + i) mod n of the line; `count` elements; other cells are zero or dropped.
template <class T>
struct LineSide {
  T* data = nullptr;  // `from` of a batch is only read
  std::int64_t stride = 0;
  std::int64_t count = 0;
  std::int64_t start = 0;
  std::int64_t offset[kLines<T>];
  int run = 1;  // lanes l, l+1, ..., l+run-1 are neighbours in memory for l a multiple of run; divides kLines
};

template <class T>
struct LineBatch {
  LineSide<T> const& from;
  LineSide<T> const& to;
  int lanes = 0;  // lanes in use
  bool inverse = false;
  Write write = Write::replace;
  T const* element_scale = nullptr;  // factor per element of the scaled side; nullptr: no scaling
  T const* lane_scale = nullptr;     // factor per lane, kLines of them
};

/// scratch: plan.scratch() elements, 64-byte aligned.
template <class T>
void transform_lines(LinePlan<T> const& plan, LineBatch<T> const& batch, T* scratch);

}  // namespace findrho::cpu
