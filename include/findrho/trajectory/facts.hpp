// SPDX-License-Identifier: BSD-3-Clause
// What a trajectory asks of the scanner and the patient: gradient, slew rate, readout and scan time, all told from its
// samples, so that they hold for every generator and for trajectories from files.
#pragma once
#include <array>
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/scanner.hpp"

namespace findrho {

struct TrajectoryFacts {
  std::int64_t shots = 0, samples_per_shot = 0;
  std::array<double, 3> largest_k{0, 0, 0};  // cycles per FOV
  // DC counts as on a sample when one lies within 1e-6 cycles per FOV of the centre.
  bool dc_on_sample = false;
  double dc_distance = 0;  // of the nearest sample from the centre, cycles per FOV
  std::int64_t dc_sample =
      0;               // of the first readout: the first at the centre, or the one whose time is nearest to 0
  double dwell_s = 0;  // 0: unknown, and so are gradient, slew and times
  double gradient_mT_m = 0;  // largest length of the gradient vector between two samples
  double slew_T_m_s = 0;     // largest length of the rate of change of it, within the readouts
  double readout_s = 0;      // samples x dwell
  double scan_time_s = 0;    // shots x repetition time
};

/// Gradient: first difference of k over dwell, gamma and FOV; slew: second difference. Ramps to the first and from the last
/// sample are not part of a trajectory and not counted.
/// Errors  bad_option (no samples, readouts of different length, a repetition time shorter than a readout or not positive)
TrajectoryFacts trajectory_facts(Trajectory const& trajectory, Scanner const& scanner,
                                 double repetition_time_s = 0.01);

/// Errors  bad_option, saying which limit is exceeded and by how much
void require_limits(TrajectoryFacts const& facts, Scanner const& scanner);

/// The sample of a readout whose time is nearest to 0, the echo reference; 0 where times are unknown.
std::int64_t dc_sample(Trajectory const& trajectory);

/// Time from sample to sample of a trajectory with equal steps; 0 where its times are unknown.
/// Errors  bad_option, where the steps differ by more than a float's rounding
double uniform_dwell_s(Trajectory const& trajectory);

}  // namespace findrho
