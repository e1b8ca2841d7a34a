// SPDX-License-Identifier: BSD-3-Clause
#include "adapted_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "generator.hpp"
#include "time_optimal.hpp"

namespace findrho::detail {

double AdaptedProfile::radius(double t) const {
  double const ramp = speed / slew;
  if (t <= ramp) return 0.5 * slew * t * t;
  if (t <= core_time()) return speed * (t - 0.5 * ramp);
  return std::cbrt(3 * speed * core * core * (t - core_time()) + core * core * core);
}

double AdaptedProfile::velocity(double t) const {
  double const ramp = speed / slew;
  if (t <= ramp) return slew * t;
  if (t <= core_time()) return speed;
  double const u = radius(t) / core;
  return speed / (u * u);
}

double AdaptedProfile::acceleration(double t) const {
  if (t <= speed / slew) return slew;
  if (t <= core_time()) return 0;
  double const u = radius(t) / core;
  return -2 * speed * speed / (core * std::pow(u, 5));
}

double edge_gradient(Matrix const& matrix, Scanner const& scanner) {
  double largest = 0;
  for (int d = 0; d < 3; ++d) {
    largest = std::max(largest, 0.5 * static_cast<double>(matrix[d]) * gradient_of_cycles_per_s(scanner, d));
  }
  return largest;
}

std::int64_t adapted_samples(AdaptedOptions const& o) {
  require_positive(o.readout_s, "the length of the readout", kMilliseconds);
  require_positive(o.dwell_s, "the dwell time", kMicroseconds);
  return std::max<std::int64_t>(2, count_from(o.readout_s / o.dwell_s - 1e-9, "samples"));
}

AdaptedProfile adapted_profile(Matrix const& matrix, AdaptedOptions const& o) {
  require_scanner(o.scanner);
  require_positive(o.readout_oversampling, "the readout oversampling");
  if (!(o.linear_part > 0 && o.linear_part <= 1)) {
    throw Error(ErrorKind::bad_option, fmt::format("the linear part is {}", o.linear_part),
                "give the part of the radius that is not adapted, above 0 to 1");
  }
  double const unit = edge_gradient(matrix, o.scanner), core = o.linear_part;
  AdaptedProfile profile{.speed = 0, .slew = o.scanner.slew_T_m_s / unit, .core = core};
  // The slew rate is at most that of the ramp and, where the adaption begins, 2 speed^2 / core; the ramp ends before it.
  struct Limit {
    double speed;
    std::string name;
  };
  double const edge = 0.5 * static_cast<double>(std::max({matrix.x, matrix.y, matrix.z}));
  Limit const limits[] = {
      {1e-3 * o.scanner.gradient_mT_m / unit,
       fmt::format("the gradient limit of {:.4g} mT/m", o.scanner.gradient_mT_m)},
      {std::sqrt(0.5 * core * profile.slew),
       fmt::format("the slew rate limit of {:.4g} T/m/s", o.scanner.slew_T_m_s)},
      {1 / (edge * o.dwell_s * static_cast<double>(o.readout_oversampling)),
       fmt::format("the dwell time of {:.4g} us, one sample per cycle per FOV,", o.dwell_s * 1e6)}};
  Limit const& tightest = *std::min_element(std::begin(limits), std::end(limits),
                                            [](auto const& a, auto const& b) { return a.speed < b.speed; });

  double const wanted = static_cast<double>(adapted_samples(o) - 1) * o.dwell_s;
  profile.speed = tightest.speed;
  if (profile.end_time() > wanted) {
    throw Error(ErrorKind::bad_option,
                fmt::format("a readout of {:.4g} ms is too short: {} allows no less than {:.4g} ms",
                            o.readout_s * 1e3, tightest.name, (profile.end_time() + o.dwell_s) * 1e3),
                "give a longer readout or a smaller matrix");
  }
  // Below that speed the duration falls with it: 1/slew < core/speed^2. Halving the interval 100 times ends at rounding.
  double slow = 0, fast = tightest.speed;
  for (int i = 0; i < 100; ++i) {
    profile.speed = 0.5 * (slow + fast);
    (profile.end_time() > wanted ? slow : fast) = profile.speed;
  }
  profile.speed = fast;
  return profile;
}

}  // namespace findrho::detail
