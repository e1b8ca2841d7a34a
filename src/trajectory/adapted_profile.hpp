// SPDX-License-Identifier: BSD-3-Clause
// How |k| grows with time when every shell of k-space gets the same number of samples per volume: density adaption.
#pragma once
#include <cstdint>
#include <string>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/scanner.hpp"

namespace findrho::detail {

struct AdaptedOptions {
  double linear_part, readout_s, dwell_s;
  std::int64_t readout_oversampling;
  Scanner scanner;
};

/// Radius in units of the edge of k-space. From rest the speed rises with the full slew rate to `speed`, stays there until
/// radius `core`, and then falls so that r^2 dr/dt is constant: r(t) = (3 speed core^2 (t - t_core) + core^3)^(1/3).
struct AdaptedProfile {
  double speed = 0, slew = 0, core = 0;  // edges per s, edges per s^2, edges
  double core_time() const { return 0.5 * speed / slew + core / speed; }
  double end_time() const { return core_time() + (1 - core * core * core) / (3 * speed * core * core); }
  double radius(double t) const;
  double velocity(double t) const;
  double acceleration(double t) const;
};

/// T/m per edge per second: the largest over the axes, for which limits then hold in every direction.
double edge_gradient(Matrix const& matrix, Scanner const& scanner);

/// The profile that reaches the edge on the last sample of the readout.
/// Errors  bad_option, saying which limit a readout as short as asked for would exceed
AdaptedProfile adapted_profile(Matrix const& matrix, AdaptedOptions const& options);
std::int64_t adapted_samples(AdaptedOptions const& options);

}  // namespace findrho::detail
