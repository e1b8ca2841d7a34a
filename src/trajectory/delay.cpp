// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/trajectory/facts.hpp"

namespace findrho {
namespace {

/// Value at a place x, in samples, of n values: Lagrange's cubic through the four nearest, straight lines beyond the ends.
double value_at(double const* k, std::int64_t n, double x) {
  auto const last = static_cast<double>(n - 1);
  if (n == 1) return k[0];
  if (x <= 0) return k[0] + x * (k[1] - k[0]);
  if (x >= last) return k[n - 1] + (x - last) * (k[n - 1] - k[n - 2]);
  if (n < 4) {
    auto const i = std::min(static_cast<std::int64_t>(x), n - 2);
    return k[i] + (x - static_cast<double>(i)) * (k[i + 1] - k[i]);
  }
  std::int64_t const first = std::clamp<std::int64_t>(static_cast<std::int64_t>(x) - 1, 0, n - 4);
  double const u = x - static_cast<double>(first);
  double const a = u, b = u - 1, c = u - 2, d = u - 3;
  return -b * c * d / 6 * k[first] + a * c * d / 2 * k[first + 1] - a * b * d / 2 * k[first + 2] +
         a * b * c / 6 * k[first + 3];
}

}  // namespace

Trajectory delayed(Trajectory const& t, GradientDelay const& delay) {
  if (delay == GradientDelay{}) return t;
  double const dwell = uniform_dwell_s(t);
  if (dwell <= 0) {
    throw Error(ErrorKind::bad_option, "a delay needs the time from sample to sample, which is unknown",
                "give the dwell time");
  }
  std::int64_t const n = t.samples_per_readout;
  Trajectory result = t;
  for (int d = 0; d < t.dims; ++d) {
    double const shift = delay.axis_s[static_cast<std::size_t>(d)] / dwell;
    if (!(std::abs(shift) < static_cast<double>(n))) {
      throw Error(ErrorKind::bad_option,
                  fmt::format("a delay of {:.4g} us is as long as the readout of {:.4g} us",
                              shift * dwell * 1e6, static_cast<double>(n) * dwell * 1e6),
                  "give the delay in microseconds");
    }
    for (std::int64_t first = 0; shift != 0 && first < t.size(); first += n) {
      double const* const from = t[d].data() + first;
      for (std::int64_t j = 0; j < n; ++j) {
        result[d][static_cast<std::size_t>(first + j)] = value_at(from, n, static_cast<double>(j) - shift);
      }
    }
  }
  return result;
}

}  // namespace findrho
