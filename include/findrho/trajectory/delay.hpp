// SPDX-License-Identifier: BSD-3-Clause
// Gradients that play later than they should: the trajectory that is really measured.
#pragma once
#include <array>

#include "findrho/core/scan.hpp"

namespace findrho {

struct GradientDelay {
  std::array<double, 3> axis_s{0, 0, 0};  // per axis; positive: the gradient comes late
  bool operator==(GradientDelay const&) const = default;
};

/// k_d(t) of every readout becomes k_d(t - delay_d), interpolated by cubics through four samples; what lies before the first
/// or beyond the last sample goes on in a straight line. Spokes are shifted along themselves by gamma G delay exactly, and
/// delays that differ between the axes bend them off the centre.
/// Errors  bad_option (times unknown or not in equal steps; a delay as long as the readout)
/// Source  Peters, Derbyshire and McVeigh, MRM 50:1 (2003), doi:10.1002/mrm.10501
Trajectory delayed(Trajectory const& trajectory, GradientDelay const& delay);

}  // namespace findrho
