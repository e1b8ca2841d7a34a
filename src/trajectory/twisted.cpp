// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/twisted.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "adapted_profile.hpp"
#include "generator.hpp"
#include "option_binding.hpp"

namespace findrho {
namespace {

using std::numbers::pi;

/// One line: azimuth of every sample, and how many such lines a cone of Nyquist density needs.
struct Line {
  std::vector<double> azimuth;
  double lines = 0;
};

/// Steps of the integration per sample: the error of the azimuth is that of Heun's rule, a smooth curve of tens of samples.
constexpr int kSteps = 8;
// Design 3 % below the slew limit: second differences of the integrated line exceed its acceleration by less.
constexpr double kMargin = 0.97;

struct Twist {
  detail::AdaptedProfile const& profile;
  double across, edge;  // sin of the polar angle, cycles per FOV

  /// The largest sideways speed at a time (edges per s): what is left of the gradient, and what the bend around the axis
  /// allows of the slew rate.
  double limit(double t) const {
    double const v = profile.velocity(t), r = profile.radius(t);
    double const left = std::sqrt(std::max(0.0, profile.speed * profile.speed - v * v));
    return std::min(left, std::sqrt(0.8 * kMargin * profile.slew * r * across));
  }

  /// The largest rate of change of the sideways speed w. Acceleration in spherical coordinates on a cone:
  ///   along r   r'' - c sin(a),   along a   -c cos(a),   sideways   w' + w r'/r,   c = w^2 / (r sin(a))
  double gain(double t, double w) const {
    double const r = profile.radius(t), slew = kMargin * profile.slew, c = w * w / (r * across);
    double const radial = profile.acceleration(t) - c * across;
    double const polar_sq = c * c * (1 - across * across);
    double const left = slew * slew - radial * radial - polar_sq;
    return std::sqrt(std::max(0.0, left)) - w * profile.velocity(t) / r;
  }

  Line line(std::int64_t samples, double dwell) const {
    Line result;
    double const h = dwell / kSteps;
    double w = 0, azimuth = 0;
    for (std::int64_t j = 0; j < samples; ++j) {
      result.azimuth.push_back(azimuth);
      double const at = static_cast<double>(j) * dwell, r = std::min(1.0, profile.radius(at));
      double const pitch = w / std::max(profile.velocity(at), 1e-300);  // r sin(a) dphi/dr
      result.lines = std::max(result.lines, 2 * pi * edge * r * across / std::sqrt(1 + pitch * pitch));
      for (int s = 0; s < kSteps; ++s) {
        double const t = at + s * h;
        if (t + h <= profile.core_time()) continue;
        double const next = std::clamp(w + h * gain(t, w), 0.0, limit(t + h));
        azimuth += h * 0.5 * (w / profile.radius(t) + next / profile.radius(t + h)) / across;
        w = next;
      }
    }
    return result;
  }
};

}  // namespace

Trajectory make_twisted(Matrix const& matrix, TwistedOptions const& o) {
  detail::require_matrix(matrix, 3, "twisted projection");
  detail::require_positive(o.undersampling, "the undersampling");
  detail::AdaptedOptions const adapted{o.linear_part, o.readout_s, o.dwell_s, o.readout_oversampling,
                                       o.scanner};
  std::int64_t const samples = detail::adapted_samples(adapted);
  detail::AdaptedProfile const profile = detail::adapted_profile(matrix, adapted);
  double const n = static_cast<double>(std::max({matrix.x, matrix.y, matrix.z}));
  // Two symmetric halves, an even number of cones.
  std::int64_t const half = detail::count_from(pi / 4 * n / std::sqrt(o.undersampling), "cones");

  std::vector<Line> lines;
  std::vector<std::int64_t> counts;
  std::int64_t shots = 0;
  for (std::int64_t i = 0; i < half; ++i) {
    double const polar = (static_cast<double>(i) + 0.5) * pi / (2 * static_cast<double>(half));
    lines.push_back(Twist{profile, std::sin(polar), 0.5 * n}.line(samples, o.dwell_s));
    counts.push_back(detail::count_from(lines.back().lines / std::sqrt(o.undersampling), "lines"));
    shots += 2 * counts.back();
  }

  Trajectory t = detail::empty_trajectory(3, shots, samples, 0, o.dwell_s);
  std::size_t m = 0;
  for (double const side : {1.0, -1.0}) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      double const polar = (static_cast<double>(i) + 0.5) * pi / (2 * static_cast<double>(half));
      for (std::int64_t line = 0; line < counts[i]; ++line) {
        double const start = 2 * pi *
                             (static_cast<double>(line) / static_cast<double>(counts[i]) +
                              static_cast<double>(i) * std::numbers::phi);
        for (std::int64_t j = 0; j < samples; ++j, ++m) {
          double const r = 0.5 * std::min(1.0, profile.radius(static_cast<double>(j) * o.dwell_s));
          double const angle = start + lines[i].azimuth[static_cast<std::size_t>(j)];
          t.kx[m] = static_cast<double>(matrix.x) * r * std::sin(polar) * std::cos(angle);
          t.ky[m] = static_cast<double>(matrix.y) * r * std::sin(polar) * std::sin(angle);
          t.kz[m] = static_cast<double>(matrix.z) * r * std::cos(polar) * side;
        }
      }
    }
  }
  return t;
}

std::vector<detail::OptionBinding> detail::bind_options(TwistedOptions& o) {
  std::vector<OptionBinding> all{undersampling(o.undersampling), linear_part(o.linear_part),
                                 readout_time(o.readout_s), readout_oversampling(o.readout_oversampling),
                                 dwell(o.dwell_s)};
  add_scanner(all, o.scanner);
  return all;
}

}  // namespace findrho
