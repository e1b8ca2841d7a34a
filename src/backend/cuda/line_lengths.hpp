// SPDX-License-Identifier: BSD-3-Clause
// Lists of the lengths that passes are compiled for, and the roots of unity that a line of such a length takes.
#pragma once
#include <cmath>
#include <vector>

#include "backend/cuda/line_transform.hpp"

namespace findrho::device {

template <class... F>
struct Lengths {};

/// use(Factors) for the list's entry of this length; false when there is none.
template <class Use, class... F>
bool with_factors(int length, Lengths<F...>, Use const& use) {
  return ((F::size == length && (use(F{}), true)) || ...);
}
template <class Use, class... F>
void each_length(Lengths<F...>, Use const& use) {
  (use(F::size), ...);
}
template <class... F>
bool has_length(int length, Lengths<F...>) {
  return ((F::size == length) || ...);
}

/// exp(-i 2 pi k / length), k < length
template <class T>
std::vector<Complex<T>> roots_of_unity(int length) {
  std::vector<Complex<T>> roots;
  for (int k = 0; k < length; ++k) {
    double const angle = -2 * 3.14159265358979323846 * k / length;
    roots.push_back({static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))});
  }
  return roots;
}

}  // namespace findrho::device
