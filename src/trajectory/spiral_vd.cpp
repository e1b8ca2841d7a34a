// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/spiral_vd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "findrho/core/error.hpp"
#include "generator.hpp"
#include "option_binding.hpp"
#include "time_optimal.hpp"

namespace findrho {
namespace {

using std::numbers::pi;

/// The undersampling over the radius: u0 up to r0, then linear to u1 at the edge.
struct Thinning {
  double u0, u1, r0, edge;
  double slope() const { return r0 < edge ? (u1 - u0) / (edge - r0) : 0; }
  double at(double r) const { return r <= r0 ? u0 : u0 + slope() * (r - r0); }
  /// Integral of 1/u from 0 to r.
  double integral(double r) const {
    double const core = std::min(r, r0) / u0;
    if (r <= r0) return core;
    double const s = slope() * (r - r0);
    // log(1 + x) / x, which is 1 - x/2 where the undersampling hardly changes.
    double const x = s / u0;
    return core + (r - r0) / u0 * (std::abs(x) < 1e-8 ? 1 - 0.5 * x : std::log1p(x) / x);
  }
};

Thinning thinning(SpiralVdOptions const& o, double edge) {
  return {o.undersampling, o.undersampling_edge > 0 ? o.undersampling_edge : o.undersampling, o.core * edge,
          edge};
}

/// Half of an in-out interleave, or a whole one: radii of its samples, the first at the centre.
std::vector<double> radii(Matrix const& matrix, SpiralVdOptions const& o, Thinning const& thin, double arms) {
  auto const angle = [&](double r) { return 2 * pi / arms * thin.integral(r); };
  detail::Point const scale = detail::widest_scale(matrix, o.scanner, thin.edge);
  auto const curve = [&](double r) {
    return detail::Point{scale[0] * r * std::cos(angle(r)), scale[1] * r * std::sin(angle(r)), 0};
  };
  auto const nodes = detail::curve_nodes(0, thin.edge, thin.edge / 2000, 2 * pi / 500,
                                         [&](double r) { return 2 * pi / (arms * thin.at(r)); });
  auto const start = o.direction == SpiralDirection::in_out ? detail::Start::moving : detail::Start::at_rest;
  return detail::time_optimal(curve, nodes,
                              {o.scanner, o.dwell_s, 1 / static_cast<double>(o.readout_oversampling), start});
}

double arms_of(SpiralVdOptions const& o, std::int64_t interleaves) {
  return static_cast<double>(interleaves) * (o.direction == SpiralDirection::in_out ? 2 : 1);
}

std::int64_t samples_of(SpiralVdOptions const& o, std::vector<double> const& radius) {
  auto const n = static_cast<std::int64_t>(radius.size());
  return o.direction == SpiralDirection::in_out ? 2 * n - 1 : n;
}

/// The least number of interleaves whose readout is short enough.
std::int64_t fewest_interleaves(Matrix const& matrix, SpiralVdOptions const& o, Thinning const& thin) {
  auto const fits = [&](std::int64_t n) {
    auto const samples = samples_of(o, radii(matrix, o, thin, arms_of(o, n)));
    return static_cast<double>(samples) * o.dwell_s <= o.longest_readout_s;
  };
  // More interleaves than these are straight spokes: they do not get shorter.
  auto const most = static_cast<std::int64_t>(std::ceil(4 * pi * thin.edge));
  return detail::fewest_interleaves(most, o.longest_readout_s, fits);
}

void check(Matrix const& matrix, SpiralVdOptions const& o) {
  detail::require_matrix(matrix, 2, "2D spiral");
  if (o.interleaves < 0) {
    throw Error(ErrorKind::bad_option, fmt::format("the number of shots is {}", o.interleaves),
                "give 1 or more, or 0 for as few as the readout limit allows");
  }
  detail::require_positive(o.undersampling, "the undersampling");
  if (o.undersampling_edge != 0)
    detail::require_positive(o.undersampling_edge, "the undersampling at the edge");
  detail::require_positive(o.longest_readout_s, "the readout limit", detail::kMilliseconds);
  detail::require_positive(o.readout_oversampling, "the readout oversampling");
  if (!(o.core >= 0 && o.core <= 1)) {
    throw Error(ErrorKind::bad_option, fmt::format("the core is {}", o.core),
                "give a part of the radius, 0 to 1");
  }
  detail::require_positive(o.dwell_s, "the dwell time", detail::kMicroseconds);
  detail::require_scanner(o.scanner);
}

}  // namespace

Trajectory make_spiral_vd(Matrix const& matrix, SpiralVdOptions const& o) {
  check(matrix, o);
  double const edge = 0.5 * static_cast<double>(std::max(matrix.x, matrix.y));
  Thinning const thin = thinning(o, edge);
  std::int64_t const n = o.interleaves > 0 ? o.interleaves : fewest_interleaves(matrix, o, thin);
  double const arms = arms_of(o, n);
  std::vector<double> const radius = radii(matrix, o, thin, arms);
  std::int64_t const half = static_cast<std::int64_t>(radius.size()), samples = samples_of(o, radius);
  if (static_cast<double>(samples) * o.dwell_s > o.longest_readout_s) {
    throw Error(
        ErrorKind::bad_option,
        fmt::format("{} shots take {:.4g} ms each, the readout limit is {:.4g} ms", n,
                    static_cast<double>(samples) * o.dwell_s * 1e3, o.longest_readout_s * 1e3),
        fmt::format("give at least {} shots or a longer readout limit", fewest_interleaves(matrix, o, thin)));
  }

  std::int64_t const dc = o.direction == SpiralDirection::out ? 0 : half - 1;
  Trajectory t = detail::empty_trajectory(2, n, samples, dc, o.dwell_s);
  std::size_t m = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    double const start = 2 * pi * static_cast<double>(i) / arms;
    for (std::int64_t j = 0; j < samples; ++j, ++m) {
      std::int64_t const from_dc = j - dc;
      double const r = radius[static_cast<std::size_t>(std::abs(from_dc))] / edge;
      double const angle = start + 2 * pi / arms * thin.integral(r * edge);
      // Before DC an in-out interleave is the point reflection of what follows.
      double const sign = o.direction == SpiralDirection::in_out && from_dc < 0 ? -0.5 : 0.5;
      t.kx[m] = sign * r * static_cast<double>(matrix.x) * std::cos(angle);
      t.ky[m] = sign * r * static_cast<double>(matrix.y) * std::sin(angle);
    }
  }
  return t;
}

std::vector<detail::OptionBinding> detail::bind_options(SpiralVdOptions& o) {
  std::vector<OptionBinding> all{
      shots(o.interleaves),
      word<SpiralDirection>(
          "direction", o.direction,
          {{"out", SpiralDirection::out}, {"in", SpiralDirection::in}, {"in_out", SpiralDirection::in_out}},
          "Which way a spiral runs"),
      undersampling(o.undersampling),
      number("undersampling-edge", o.undersampling_edge,
             "Undersampling at the edge of k-space; 0: as at the centre"),
      number("core", o.core, "Part of the radius that keeps the centre's undersampling"),
      readout_limit(o.longest_readout_s),
      readout_oversampling(o.readout_oversampling),
      dwell(o.dwell_s)};
  add_scanner(all, o.scanner);
  return all;
}

}  // namespace findrho
