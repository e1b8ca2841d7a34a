// SPDX-License-Identifier: BSD-3-Clause
// Density-adapted 3D radial: spokes whose speed falls outwards so that the samples' density is constant. For sodium.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/radial_3d.hpp"
#include "findrho/trajectory/scanner.hpp"

namespace findrho {

struct AdaptedRadialOptions {
  std::int64_t spokes = 0;   // 0: Nyquist at the edge of k-space, pi N^2
  double undersampling = 1;  // divides the Nyquist count where spokes is 0
  double linear_part = 0.4;  // of the radius, up to which the gradient is constant
  double readout_s = 0.01;
  SphereOrder order = SphereOrder::golden_means;
  std::int64_t readout_oversampling = 1;  // samples per cycle per FOV, at least
  double dwell_s = 1e-5;
  Scanner scanner{.gamma_MHz_T = kSodiumMHz_T};
};

/// Half spokes from rest at the centre: slew-limited ramp, constant gradient G up to k0 = linear_part N/2, then
///   k(t) = (3 gamma G k0^2 (t - t0) + k0^3)^(1/3),
/// which gives every shell samples in proportion to its volume. G is the one that reaches N/2 on the last sample.
/// Units   k in cycles per FOV, |k_d| <= N_d/2
/// DC      on sample 0 of every spoke
/// Time    from sample 0
/// Errors  bad_option (also: a readout too short for the limits, saying which)
/// Source  Nagel et al., MRM 62:1565 (2009)
Trajectory make_adapted_radial(Matrix const& matrix, AdaptedRadialOptions const& options = {});

}  // namespace findrho
