// SPDX-License-Identifier: BSD-3-Clause
// The lengths that have fused passes, as factors. A line of n voxels takes the shortest one that holds 2 n.
#pragma once
#include <cstdint>

#include "backend/cuda/line_lengths.hpp"

namespace findrho::device {

using Index = std::int64_t;

template <class T>
struct FusedLengths {
  using Type =
      Lengths<Factors<8, 1, 4>, Factors<8, 1, 8>, Factors<12, 1, 8>, Factors<16, 1, 8>, Factors<16, 1, 12>,
              Factors<16, 1, 16>, Factors<20, 1, 16>, Factors<8, 6, 8>, Factors<8, 8, 8>>;
};
/// In double, transforms of 16 in registers would leave too few threads.
template <>
struct FusedLengths<double> {
  using Type =
      Lengths<Factors<8, 1, 4>, Factors<8, 1, 8>, Factors<4, 4, 8>, Factors<8, 4, 8>, Factors<8, 8, 8>>;
};

template <class... F>
int fused_length(int n, Lengths<F...>) {
  int least = 0;
  ((F::size >= 2 * n && (least == 0 || F::size < least) ? least = F::size : 0), ...);
  return least;
}
/// The fused length for n voxels; 0 when n is too large for any.
template <class T>
int fused_length(int n) {
  return fused_length(n, typename FusedLengths<T>::Type{});
}

/// Lengths that y and z of a volume go through in one pass (plane_pass.hpp) where both have the same, in single precision:
/// those at which it was measured to be faster.
using PlaneLengths = Lengths<Factors<16, 1, 16>, Factors<8, 8, 8>>;
template <class T>
constexpr bool kHasPlanes = sizeof(T) == 4;
template <class T>
bool goes_by_planes(int length_y, int length_z) {
  return kHasPlanes<T> && length_y == length_z && has_length(length_y, PlaneLengths{});
}

}  // namespace findrho::device
