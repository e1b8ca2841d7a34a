// SPDX-License-Identifier: BSD-3-Clause
// Where a sample falls on one axis of the grid: the same cell and fraction on every device.
#pragma once
#include <cstdint>

#include "findrho/backend/team.hpp"

namespace findrho::nufft {

/// First cell of a sample's patch, from -floor(W/2) on, and the sample's fraction in [-1/2, 1/2) (kernel.hpp).
struct Place {
  std::int64_t cell;
  double fraction;
};

/// floor(x) for |x| < 2^63, inline everywhere: on a CPU without SSE4 as its baseline floor is a call.
FINDRHO_HD inline double floor_inline(double x) {
  double const whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole - (whole > x ? 1.0 : 0.0);
}

/// a b rounded by itself: a device's compiler would fuse it with the sum that follows, and give other bits than a CPU.
FINDRHO_HD inline double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// k cycles per FOV are k G / N grid cells, periodic with G.
FINDRHO_HD inline Place place(double k, std::int64_t grid, std::int64_t matrix, int width) {
  double const g = static_cast<double>(grid), half = width / 2.0;
  double const n = static_cast<double>(matrix), turns = k * (1 / n);
  if (!(turns > -1e15 && turns < 1e15)) return {0, 0};  // where it falls is below the rounding of k
  double p = rounded_product(k, g / n) - rounded_product(g, floor_inline(turns));
  if (!(p >= 0 && p < g)) p = 0;  // roundings near a period's end
  double const first = -floor_inline(half - p);
  return {static_cast<std::int64_t>(first), first - p + half - 0.5};
}

}  // namespace findrho::nufft
