// SPDX-License-Identifier: BSD-3-Clause
// Twisted projection imaging: lines from the centre that begin to wind around cones where spokes would thin out. For sodium.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/scanner.hpp"

namespace findrho {

struct TwistedOptions {
  double undersampling = 1;  // divides the number of cones and the shots of each
  double linear_part = 0.4;  // of the radius, up to which the lines are straight
  double readout_s = 0.015;
  std::int64_t readout_oversampling = 1;  // samples per cycle per FOV along the radius, at least
  double dwell_s = 1e-5;
  Scanner scanner{.gamma_MHz_T = kSodiumMHz_T};
};

/// |k| follows make_adapted_radial's k(t) on every line: constant density of samples beyond k0. The gradient that the slower
/// growth of |k| leaves is spent on turning around the z axis,
///   (k sin(a) dphi/dt)^2 = (gamma G)^2 - (dk/dt)^2,
/// less where the slew rate allows no more: at the onset of the twist and on narrow cones. Cones are C = pi/2 N at the angles
/// a_i = (i + 1/2) pi / C; each has as many lines, evenly turned, as keep their distance across at one cycle per FOV:
///   max over k of 2 pi k sin(a) / sqrt(1 + (k sin(a) dphi/dk)^2),
/// 2 pi k0 sin(a) where the slew rate does not interfere. All divided by the undersampling.
/// Units   k in cycles per FOV, |k_d| <= N_d/2
/// DC      on sample 0 of every line
/// Time    from sample 0
/// Errors  bad_option (also: a readout too short for the limits, saying which)
/// Source  Boada, Gillen, Shen, Chang and Thulborn, MRM 37:706 (1997)
Trajectory make_twisted(Matrix const& matrix, TwistedOptions const& options = {});

}  // namespace findrho
