// SPDX-License-Identifier: BSD-3-Clause
// What a trajectory is played out on: the nucleus, the field of view, and how strong and how fast gradients may be.
#pragma once
#include <array>

namespace findrho {

// Gyromagnetic ratios over 2 pi, MHz/T: CODATA 2018 for the proton; sodium by its frequency ratio of 26.4519 %,
// Harris et al., Pure Appl. Chem. 73:1795 (2001), doi:10.1351/pac200173111795.
inline constexpr double kProtonMHz_T = 42.577478518;
inline constexpr double kSodiumMHz_T = 0.264519 * kProtonMHz_T;

struct Scanner {
  double gradient_mT_m = 40;  // largest length of the gradient vector
  double slew_T_m_s = 150;    // largest length of its rate of change
  double gamma_MHz_T = kProtonMHz_T;
  std::array<double, 3> fov_mm{220, 220, 220};
};

/// One cycle per FOV per second along axis d as a gradient, in T/m.
inline double gradient_of_cycles_per_s(Scanner const& scanner, int d) {
  return 1 / (scanner.fov_mm[static_cast<std::size_t>(d)] * 1e-3 * scanner.gamma_MHz_T * 1e6);
}

}  // namespace findrho
