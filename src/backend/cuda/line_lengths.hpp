// SPDX-License-Identifier: BSD-3-Clause
// Lists of the lengths that passes are compiled for, and the tables of roots of unity that a line of such a length takes.
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

/// The factors exp(-i 2 pi k / L) in the order of TurnsOf.
template <class T, class F>
std::vector<Complex<T>> line_turns(F) {
  std::vector<Complex<T>> turns(TurnsOf<F>::size);
  auto const fill = [&](int from, int factors, int threads, int step) {
    for (int k = 0; k < factors; ++k) {
      for (int t = 0; t < threads; ++t) {
        double const angle = -2 * 3.14159265358979323846 * step * k * t / F::size;
        turns[static_cast<std::size_t>(from + k * threads + t)] = {static_cast<T>(std::cos(angle)),
                                                                   static_cast<T>(std::sin(angle))};
      }
    }
  };
  fill(TurnsOf<F>::first, F::R1, F::R2 * F::R3, 1);
  fill(TurnsOf<F>::last, F::R3, F::R1 * F::R2, 1);
  fill(TurnsOf<F>::middle, F::R2, F::R3, F::R1);
  fill(TurnsOf<F>::middle_inverse, F::R2, F::R1, F::R3);
  return turns;
}
/// Of the list's entry of this length; empty when there is none.
template <class T, class List>
std::vector<Complex<T>> line_turns(int length, List lengths) {
  std::vector<Complex<T>> turns;
  with_factors(length, lengths, [&](auto factors) { turns = line_turns<T>(factors); });
  return turns;
}

}  // namespace findrho::device
