// SPDX-License-Identifier: BSD-3-Clause
// Spokes through the centre of 3D k-space ("koosh ball").
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/radial_2d.hpp"

namespace findrho {

enum class SphereOrder {
  golden_means,  // any run of successive spokes covers the sphere evenly
  spiral         // spoke ends on a spiral from the equator (full) or the south pole (half) to the north pole
};

struct Radial3dOptions {
  SpokeKind kind = SpokeKind::full;
  SphereOrder order = SphereOrder::golden_means;
  std::int64_t spokes = 0;   // 0: Nyquist at the edge of k-space, pi/2 N^2 full or pi N^2 half spokes
  double undersampling = 1;  // divides the Nyquist count where spokes is 0
  std::int64_t samples_per_spoke = 0;     // 0: N (full) or ceil(N/2) (half) times readout_oversampling
  std::int64_t readout_oversampling = 1;  // samples per cycle per FOV along the spoke
  double dwell_s = 5e-6;                  // time from sample to sample
};

/// Straight spokes with uniform spacing, directions spread evenly over the half sphere z >= 0 (full) or the
/// sphere (half). Samples lie as in make_radial_2d.
/// Units   k in cycles per FOV, |k_d| <= N_d/2
/// DC      on sample floor(S/2) (full) or 0 (half) of every spoke
/// Time    from the sample at DC
/// Errors  bad_option
/// Source  golden means: Chan, Ramsay, Cunningham and Plewes, MRM 61:354 (2009), doi:10.1002/mrm.21837;
///         spiral: Wong and Roos, MRM 32:778 (1994), doi:10.1002/mrm.1910320614
Trajectory make_radial_3d(Matrix const& matrix, Radial3dOptions const& options = {});

}  // namespace findrho
