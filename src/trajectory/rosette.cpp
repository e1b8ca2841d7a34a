// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/rosette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "findrho/core/error.hpp"
#include "generator.hpp"
#include "option_binding.hpp"
#include "time_optimal.hpp"

namespace findrho {
namespace {

using std::numbers::pi;

/// q = w2/w1 near the wish with (1 + q) pi = 2 pi c/petals, c and petals without a common factor: successive petals point
/// (1 + q) pi further, and so all of a shot in different, evenly spread directions.
double even_turn(double wish, std::int64_t petals) {
  auto const p = static_cast<double>(petals);
  auto const first = static_cast<std::int64_t>(std::floor(0.5 * (1 + wish) * p));
  auto const least = static_cast<std::int64_t>(std::ceil(0.5 * p));  // q >= 0
  for (std::int64_t off = 0;; ++off) {
    for (std::int64_t const c : {first - off, first + 1 + off}) {
      if (c >= least && std::gcd(c, petals) == 1) return 2 * static_cast<double>(c) / p - 1;
    }
  }
}

/// Highest w1, in rad/s. In units of the edge |k'| <= max(1, q) and |k''| <= 1 + q^2.
double fastest_swing(Matrix const& matrix, RosetteOptions const& o, double q) {
  double edge = 0, physical = 0;  // cycles per FOV, T s/m
  for (int d = 0; d < 2; ++d) {
    double const half = 0.5 * static_cast<double>(matrix[d]);
    edge = std::max(edge, half);
    physical = std::max(physical, half * gradient_of_cycles_per_s(o.scanner, d));
  }
  double const speed = std::max(1.0, q);
  return std::min({1e-3 * o.scanner.gradient_mT_m / (physical * speed),
                   std::sqrt(o.scanner.slew_T_m_s / (physical * (1 + q * q))),
                   1 / (static_cast<double>(o.readout_oversampling) * o.dwell_s * edge * speed)});
}

}  // namespace

Trajectory make_rosette(Matrix const& matrix, RosetteOptions const& o) {
  detail::require_matrix(matrix, 2, "rosette");
  detail::require_positive(o.petals, "the number of petals");
  detail::require_positive(o.undersampling, "the undersampling");
  detail::require_positive(o.readout_oversampling, "the readout oversampling");
  detail::require_positive(o.dwell_s, "the dwell time", detail::kMicroseconds);
  detail::require_scanner(o.scanner);
  if (o.shots < 0) {
    throw Error(ErrorKind::bad_option, fmt::format("the number of shots is {}", o.shots),
                "give 1 or more, or 0 for Nyquist");
  }
  if (!(o.turn >= 0 && o.turn <= 10)) {
    throw Error(ErrorKind::bad_option, fmt::format("the turn is {}", o.turn),
                "give the ratio of both frequencies, 0 (straight) to 10");
  }
  double const q = even_turn(o.turn, o.petals);
  double const n = static_cast<double>(std::max(matrix.x, matrix.y));
  auto const p = static_cast<double>(o.petals);
  std::int64_t const shots =
      o.shots > 0 ? o.shots : detail::count_from(pi * n / (1 + q) / o.undersampling / p, "shots");
  std::int64_t const per_petal =
      detail::count_from(pi / (fastest_swing(matrix, o, q) * o.dwell_s), "samples per petal");
  std::int64_t const samples = detail::count_from(p * static_cast<double>(per_petal), "samples per shot");

  Trajectory t = detail::empty_trajectory(2, shots, samples, 0, o.dwell_s);
  std::size_t m = 0;
  for (std::int64_t i = 0; i < shots; ++i) {
    double const start = 2 * pi * static_cast<double>(i) / (static_cast<double>(shots) * p);
    for (std::int64_t j = 0; j < samples; ++j, ++m) {
      // The swing is counted from the petal's own start, so that the centre is hit exactly.
      std::int64_t const petal = j / per_petal;
      double const swing = pi * static_cast<double>(j % per_petal) / static_cast<double>(per_petal);
      double const r = (petal % 2 == 0 ? 0.5 : -0.5) * std::sin(swing);
      double const angle = start + q * (swing + pi * static_cast<double>(petal));
      t.kx[m] = r * static_cast<double>(matrix.x) * std::cos(angle);
      t.ky[m] = r * static_cast<double>(matrix.y) * std::sin(angle);
    }
  }
  return t;
}

std::vector<detail::OptionBinding> detail::bind_options(RosetteOptions& o) {
  std::vector<OptionBinding> all{shots(o.shots),
                                 count("petals", o.petals, "Petals of one shot"),
                                 number("turn", o.turn, "Turning over swinging frequency, about"),
                                 undersampling(o.undersampling),
                                 readout_oversampling(o.readout_oversampling),
                                 dwell(o.dwell_s)};
  add_scanner(all, o.scanner);
  return all;
}

}  // namespace findrho
