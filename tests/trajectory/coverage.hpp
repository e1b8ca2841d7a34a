// SPDX-License-Identifier: BSD-3-Clause
// How far the emptiest place of k-space is from the nearest sample.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "findrho/core/scan.hpp"

namespace findrho::test {

/// Largest distance, in cycles per FOV, of 20000 seeded random places with |k| <= radius from the nearest sample. Fully
/// sampled Cartesian k-space has sqrt(dims)/2: the middle of a cell. Distances above 3 count as 3.
inline double largest_gap(Trajectory const& t, double radius) {
  std::map<std::array<int, 3>, std::vector<std::size_t>> cells;
  auto const cell_of = [](double x, double y, double z) {
    return std::array<int, 3>{int(std::floor(x)), int(std::floor(y)), int(std::floor(z))};
  };
  for (std::size_t m = 0; m < t.kx.size(); ++m) {
    cells[cell_of(t.kx[m], t.ky[m], t.dims == 3 ? t.kz[m] : 0)].push_back(m);
  }
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> place(-radius, radius);
  double gap_sq = 0;
  int const reach_z = t.dims == 3 ? 3 : 0;
  for (int probe = 0; probe < 20000;) {
    double const x = place(random), y = place(random), z = t.dims == 3 ? place(random) : 0;
    if (x * x + y * y + z * z > radius * radius) continue;
    ++probe;
    auto const at = cell_of(x, y, z);
    double nearest_sq = 9;
    // Shell by shell of cells around the place, until the next shell is farther than what was found.
    for (int shell = 0; shell <= 3 && (shell < 2 || nearest_sq > (shell - 1) * (shell - 1)); ++shell) {
      for (int i = -shell; i <= shell; ++i) {
        for (int j = -shell; j <= shell; ++j) {
          for (int k = -std::min(shell, reach_z); k <= std::min(shell, reach_z); ++k) {
            if (std::max({std::abs(i), std::abs(j), std::abs(k)}) != shell) continue;
            auto const found = cells.find({at[0] + i, at[1] + j, at[2] + k});
            if (found == cells.end()) continue;
            for (std::size_t const m : found->second) {
              double const dx = t.kx[m] - x, dy = t.ky[m] - y, dz = t.dims == 3 ? t.kz[m] - z : 0;
              nearest_sq = std::min(nearest_sq, dx * dx + dy * dy + dz * dz);
            }
          }
        }
      }
    }
    gap_sq = std::max(gap_sq, nearest_sq);
  }
  return std::sqrt(gap_sq);
}

}  // namespace findrho::test
