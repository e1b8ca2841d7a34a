// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/cones.hpp"

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

struct Cone {
  double polar;  // angle from the z axis
  std::int64_t interleaves;
  double twist;  // radians per cycle per FOV along the surface
};

/// Parameter r of the samples, from the centre to the edge: as many as asked for, or 0: as few as the limits allow.
std::vector<double> radii(Matrix const& matrix, ConesOptions const& o, Cone const& cone,
                          std::int64_t samples) {
  double const edge = 0.5 * static_cast<double>(std::max({matrix.x, matrix.y, matrix.z}));
  double const across = std::sin(cone.polar), along = std::cos(cone.polar);
  detail::Point const scale = detail::widest_scale(matrix, o.scanner, edge);
  auto const curve = [&](double r) {
    double const a = cone.twist * r;
    return detail::Point{scale[0] * r * across * std::cos(a), scale[1] * r * across * std::sin(a),
                         scale[2] * r * along};
  };
  auto const nodes =
      detail::curve_nodes(0, edge, edge / 500, 2 * pi / 200, [&](double) { return cone.twist; });
  return detail::time_optimal(curve, nodes,
                              {.scanner = o.scanner,
                               .dwell_s = o.dwell_s,
                               .cycles_per_sample = 1 / static_cast<double>(o.readout_oversampling),
                               .samples = samples});
}

Cone cone_at(double polar, std::int64_t equator, ConesOptions const& o) {
  auto const n = std::max<std::int64_t>(
      1, std::llround(std::ceil(std::sin(polar) * static_cast<double>(equator) - 1e-9)));
  return {polar, n, 2 * pi / (static_cast<double>(n) * o.undersampling)};
}

/// Cones of one half space; the other half mirrors them.
std::vector<Cone> upper_cones(Matrix const& matrix, ConesOptions const& o, std::int64_t equator) {
  double const n = static_cast<double>(std::max({matrix.x, matrix.y, matrix.z}));
  std::int64_t const count = detail::count_from(pi / 2 * n / o.undersampling / 2, "cones");
  std::vector<Cone> cones;
  for (std::int64_t i = 0; i < count; ++i) {
    cones.push_back(
        cone_at((static_cast<double>(i) + 0.5) * pi / (2 * static_cast<double>(count)), equator, o));
  }
  return cones;
}

double duration(std::vector<double> const& samples, ConesOptions const& o) {
  return static_cast<double>(samples.size()) * o.dwell_s;
}

bool too_long(std::vector<double> const& samples, ConesOptions const& o) {
  return duration(samples, o) > o.longest_readout_s * (1 + 1e-9);
}

std::int64_t fewest_interleaves(Matrix const& matrix, ConesOptions const& o) {
  auto const fits = [&](std::int64_t n) {
    return duration(radii(matrix, o, cone_at(pi / 2, n, o), 0), o) <= o.longest_readout_s;
  };
  auto const most = detail::count_from(2 * pi * static_cast<double>(std::max({matrix.x, matrix.y, matrix.z})),
                                       "interleaves");
  return detail::fewest_interleaves(most, o.longest_readout_s, fits);
}

void check(Matrix const& matrix, ConesOptions const& o) {
  detail::require_matrix(matrix, 3, "cones");
  if (o.equator_interleaves < 0) {
    throw Error(ErrorKind::bad_option,
                fmt::format("the number of interleaves at the equator is {}", o.equator_interleaves),
                "give 1 or more, or 0 for as few as the readout limit allows");
  }
  detail::require_positive(o.undersampling, "the undersampling");
  detail::require_positive(o.longest_readout_s, "the readout limit", detail::kMilliseconds);
  detail::require_positive(o.readout_oversampling, "the readout oversampling");
  detail::require_positive(o.dwell_s, "the dwell time", detail::kMicroseconds);
  detail::require_scanner(o.scanner);
}

void set_interleaves(Cone& cone, std::int64_t n, ConesOptions const& o) {
  cone.interleaves = n;
  cone.twist = 2 * pi / (static_cast<double>(n) * o.undersampling);
}

/// Samples of each cone of the upper half, all of the length of the longest. Narrow cones, whose turns are tight, get more
/// interleaves than sin(a) n where their readout would be too long.
std::vector<std::vector<double>> equally_long(Matrix const& matrix, ConesOptions const& o,
                                              std::vector<Cone>& cones) {
  std::vector<std::vector<double>> result;
  std::size_t longest = 2;
  for (Cone& cone : cones) {
    auto samples = radii(matrix, o, cone, 0);
    while (too_long(samples, o) && &cone != &cones.back()) {
      set_interleaves(cone, cone.interleaves + 1, o);
      samples = radii(matrix, o, cone, 0);
    }
    longest = std::max(longest, samples.size());
    result.push_back(std::move(samples));
  }
  for (std::size_t i = 0; i < cones.size(); ++i) {
    if (result[i].size() < longest)
      result[i] = radii(matrix, o, cones[i], static_cast<std::int64_t>(longest));
  }
  return result;
}

}  // namespace

Trajectory make_cones(Matrix const& matrix, ConesOptions const& o) {
  check(matrix, o);
  std::int64_t const equator =
      o.equator_interleaves > 0
          ? detail::count_from(static_cast<double>(o.equator_interleaves), "interleaves")
          : fewest_interleaves(matrix, o);
  auto cones = upper_cones(matrix, o, equator);
  auto const radius = equally_long(matrix, o, cones);
  if (too_long(radius[0], o)) {
    throw Error(
        ErrorKind::bad_option,
        fmt::format("{} interleaves at the equator take {:.4g} ms each, the readout limit is {:.4g} ms",
                    equator, duration(radius[0], o) * 1e3, o.longest_readout_s * 1e3),
        fmt::format("give about {} interleaves at the equator or a longer readout limit",
                    fewest_interleaves(matrix, o)));
  }
  std::int64_t shots = 0;
  for (Cone const& cone : cones) shots += 2 * cone.interleaves;
  auto const samples = static_cast<std::int64_t>(radius[0].size());
  double const edge = static_cast<double>(std::max({matrix.x, matrix.y, matrix.z}));

  Trajectory t = detail::empty_trajectory(3, shots, samples, 0, o.dwell_s);
  std::size_t m = 0;
  for (double const side : {1.0, -1.0}) {
    for (std::size_t c = 0; c < cones.size(); ++c) {
      Cone const& cone = cones[c];
      for (std::int64_t i = 0; i < cone.interleaves; ++i) {
        // Cones start at unrelated azimuths, lest their first turns line up.
        double const start = 2 * pi *
                             (static_cast<double>(i) / static_cast<double>(cone.interleaves) +
                              static_cast<double>(c) * std::numbers::phi);
        for (double const r : radius[c]) {
          double const angle = start + cone.twist * r, part = r / edge;
          t.kx[m] = static_cast<double>(matrix.x) * part * std::sin(cone.polar) * std::cos(angle);
          t.ky[m] = static_cast<double>(matrix.y) * part * std::sin(cone.polar) * std::sin(angle);
          t.kz[m] = static_cast<double>(matrix.z) * part * std::cos(cone.polar) * side;
          ++m;
        }
      }
    }
  }
  return t;
}

std::vector<detail::OptionBinding> detail::bind_options(ConesOptions& o) {
  std::vector<OptionBinding> all{count("equator", o.equator_interleaves,
                                       "Interleaves of the cone at the equator; 0: from the readout limit"),
                                 undersampling(o.undersampling), readout_limit(o.longest_readout_s),
                                 readout_oversampling(o.readout_oversampling), dwell(o.dwell_s)};
  add_scanner(all, o.scanner);
  return all;
}

}  // namespace findrho
