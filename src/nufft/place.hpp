// SPDX-License-Identifier: BSD-3-Clause
// Where a sample falls on one axis of the grid: the same cell and fraction on every device.
#pragma once
#include <cmath>
#include <cstdint>

#include "findrho/backend/team.hpp"

namespace findrho::nufft {

/// First cell of a sample's patch, from -floor(W/2) on, and the sample's fraction in [-1/2, 1/2) (kernel.hpp).
struct Place {
  std::int64_t cell;
  double fraction;
};

/// k cycles per FOV are k G / N grid cells, periodic with G.
FINDRHO_HD inline Place place(double k, std::int64_t grid, std::int64_t matrix, int width) {
  double const g = static_cast<double>(grid);
  double p = k * g / static_cast<double>(matrix);
  p -= g * floor(p / g);
  if (p >= g) p = 0;  // a tiny negative k rounds to G itself
  double const first = ceil(p - width / 2.0);
  return {static_cast<std::int64_t>(first), first - p + width / 2.0 - 0.5};
}

}  // namespace findrho::nufft
