// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/spiral_2d.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "findrho/core/error.hpp"
#include "generator.hpp"
#include "option_binding.hpp"

namespace findrho {
namespace {

using std::numbers::pi;

/// Length of the spiral r = theta from 0 to theta.
double arc_length(double theta) {
  return 0.5 * (theta * std::sqrt(1 + theta * theta) + std::asinh(theta));
}

/// The theta whose arc length is given. arc_length is convex, so Newton converges from every positive start.
double angle_at_length(double length) {
  double theta = std::min(length, std::sqrt(2 * length));
  for (int i = 0; i < 50; ++i) {
    double const step = (arc_length(theta) - length) / std::sqrt(1 + theta * theta);
    theta -= step;
    if (std::abs(step) <= 1e-14 * theta) break;
  }
  return theta;
}

/// Samples at most 1 / oversampling cycles per FOV apart. A turn of dtheta at radius r = scale theta covers
/// scale sqrt(1 + theta^2) dtheta.
std::int64_t nyquist_samples(double theta_end, double radius, Spiral2dOptions const& options) {
  double const scale = radius / theta_end;
  double const length = options.speed == SpiralSpeed::constant_linear
                            ? scale * arc_length(theta_end)
                            : scale * theta_end * std::sqrt(1 + theta_end * theta_end);
  return detail::count_from(length * static_cast<double>(options.readout_oversampling),
                            "samples per interleave");
}

}  // namespace

Trajectory make_spiral_2d(Matrix const& matrix, Spiral2dOptions const& options) {
  detail::require_matrix(matrix, 2, "2D spiral");
  detail::require_positive(options.interleaves, "the number of shots");
  detail::require_positive(options.undersampling, "the undersampling");
  detail::require_positive(options.readout_oversampling, "the readout oversampling");
  if (options.samples_per_interleave < 0) {
    throw Error(ErrorKind::bad_option,
                fmt::format("the number of samples per shot is {}", options.samples_per_interleave),
                "give 1 or more, or 0 for the Nyquist count");
  }

  double const radius = 0.5 * static_cast<double>(std::max(matrix.x, matrix.y));
  double const interleaves = static_cast<double>(options.interleaves);
  double const theta_end = 2 * pi * radius / (interleaves * options.undersampling);
  std::int64_t const samples = options.samples_per_interleave > 0
                                   ? options.samples_per_interleave
                                   : nyquist_samples(theta_end, radius, options);

  Trajectory t = detail::empty_trajectory(2, options.interleaves, samples, 0, options.dwell_s);
  std::vector<double> theta(static_cast<std::size_t>(samples));
  for (std::size_t j = 0; j < theta.size(); ++j) {
    double const part = static_cast<double>(j) / static_cast<double>(samples);
    theta[j] = options.speed == SpiralSpeed::constant_angular ? part * theta_end
                                                              : angle_at_length(part * arc_length(theta_end));
  }

  std::size_t m = 0;
  for (std::int64_t i = 0; i < options.interleaves; ++i) {
    double const start = 2 * pi * static_cast<double>(i) / interleaves;
    for (double const angle : theta) {
      double const r = 0.5 * angle / theta_end;
      t.kx[m] = r * static_cast<double>(matrix.x) * std::cos(angle + start);
      t.ky[m] = r * static_cast<double>(matrix.y) * std::sin(angle + start);
      ++m;
    }
  }
  return t;
}

std::vector<detail::OptionBinding> detail::bind_options(Spiral2dOptions& o) {
  return {shots(o.interleaves),
          word<SpiralSpeed>("speed", o.speed,
                            {{"constant_linear", SpiralSpeed::constant_linear},
                             {"constant_angular", SpiralSpeed::constant_angular}},
                            "Equal distances or equal angles between samples"),
          undersampling(o.undersampling),
          samples(o.samples_per_interleave),
          readout_oversampling(o.readout_oversampling),
          dwell(o.dwell_s)};
}

}  // namespace findrho
