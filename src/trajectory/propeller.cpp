// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/propeller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "findrho/core/error.hpp"
#include "generator.hpp"
#include "option_binding.hpp"

namespace findrho {
namespace {

void check(PropellerOptions const& o, std::int64_t n) {
  detail::require_positive(o.lines, "the number of lines of a blade");
  detail::require_positive(o.undersampling, "the undersampling");
  detail::require_positive(o.readout_oversampling, "the readout oversampling");
  if (o.blades < 0 || o.samples_per_line < 0) {
    bool const blades = o.blades < 0;
    throw Error(ErrorKind::bad_option,
                fmt::format("{} is {}", blades ? "the number of blades" : "the number of samples per shot",
                            blades ? o.blades : o.samples_per_line),
                "give 1 or more, or 0 for Nyquist");
  }
  if (o.lines >= n) {
    throw Error(ErrorKind::bad_option,
                fmt::format("a blade of {} lines is as wide as k-space, {}", o.lines, n),
                fmt::format("give less than {} lines", n));
  }
}

}  // namespace

Trajectory make_propeller(Matrix const& matrix, PropellerOptions const& o) {
  using std::numbers::pi;
  detail::require_matrix(matrix, 2, "PROPELLER");
  std::int64_t const n = std::max(matrix.x, matrix.y);
  check(o, n);
  std::int64_t const samples =
      o.samples_per_line > 0
          ? o.samples_per_line
          : detail::count_from(static_cast<double>(n) * static_cast<double>(o.readout_oversampling),
                               "samples per line");
  std::int64_t const blades =
      o.blades > 0
          ? detail::count_from(static_cast<double>(o.blades), "blades")
          : detail::count_from(
                pi / 2 * static_cast<double>(n) / static_cast<double>(o.lines) / o.undersampling, "blades");

  double const edge = 0.5 * static_cast<double>(n), outermost = static_cast<double>(o.lines / 2);
  double const half = std::sqrt(edge * edge - outermost * outermost);
  double const x_scale = static_cast<double>(matrix.x) / static_cast<double>(n);
  double const y_scale = static_cast<double>(matrix.y) / static_cast<double>(n);
  std::int64_t const middle = samples / 2;
  // The first sample is the one that lies farthest out; with one sample a line is its own middle.
  double const step = half / std::max(1.0, static_cast<double>(middle));

  Trajectory t = detail::empty_trajectory(2, blades * o.lines, samples, middle, o.dwell_s);
  std::size_t m = 0;
  for (std::int64_t b = 0; b < blades; ++b) {
    double const angle = pi * static_cast<double>(b) / static_cast<double>(blades);
    double const c = std::cos(angle), s = std::sin(angle);
    for (std::int64_t line = 0; line < o.lines; ++line) {
      double const across = static_cast<double>(line - o.lines / 2);
      for (std::int64_t j = 0; j < samples; ++j, ++m) {
        double const along = static_cast<double>(j - middle) * step;
        t.kx[m] = x_scale * (along * c - across * s);
        t.ky[m] = y_scale * (along * s + across * c);
      }
    }
  }
  return t;
}

std::vector<detail::OptionBinding> detail::bind_options(PropellerOptions& o) {
  return {count("blades", o.blades, "Blades; 0: as many as Nyquist wants"),
          count("blade-lines", o.lines, "Lines of a blade"),
          undersampling(o.undersampling),
          samples(o.samples_per_line),
          readout_oversampling(o.readout_oversampling),
          dwell(o.dwell_s)};
}

}  // namespace findrho
