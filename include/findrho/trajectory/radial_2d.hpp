// SPDX-License-Identifier: BSD-3-Clause
// Spokes through the centre of 2D k-space.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"

namespace findrho {

enum class SpokeKind {
  full,  // edge to edge through the centre
  half   // centre to edge
};

enum class AngleOrder {
  linear,  // equal steps over the half circle (full spokes) or the circle (half spokes)
  golden   // steps of the golden or a tiny golden angle
};

struct Radial2dOptions {
  SpokeKind kind = SpokeKind::full;
  AngleOrder order = AngleOrder::linear;
  std::int64_t golden_index = 1;       // n of the tiny golden angle; 1: the golden angle itself
  std::int64_t spokes = 0;             // 0: Nyquist at the edge of k-space, pi/2 N full or pi N half spokes
  double undersampling = 1;            // divides the Nyquist count where spokes is 0
  std::int64_t samples_per_spoke = 0;  // 0: N (full) or ceil(N/2) (half) times readout_oversampling
  std::int64_t readout_oversampling = 1;  // samples per cycle per FOV along the spoke
  double dwell_s = 5e-6;                  // time from sample to sample
};

/// Straight spokes with uniform spacing. Sample j of S lies at (j - floor(S/2)) / (S/2) (full) or j/S (half)
/// of the way from the centre to the edge N_d/2; a matrix that is not square gives an ellipse.
/// Angles  golden: pi / (tau + n - 1), tau = (1 + sqrt 5)/2: 111.25 degrees for n = 1; half spokes: doubled
/// Units   k in cycles per FOV, |k_d| <= N_d/2
/// DC      on sample floor(S/2) (full) or 0 (half) of every spoke
/// Time    from the sample at DC
/// Errors  bad_option
/// Source  Winkelmann et al., IEEE TMI 26:68 (2007), doi:10.1109/TMI.2006.885337;
///         Wundrak et al., IEEE TMI 34:1262 (2015), doi:10.1109/TMI.2014.2382572
Trajectory make_radial_2d(Matrix const& matrix, Radial2dOptions const& options = {});

}  // namespace findrho
