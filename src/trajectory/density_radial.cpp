// SPDX-License-Identifier: BSD-3-Clause
// Density of straight spokes through the centre: exact rings (2D) or shells (3D) of one sample spacing.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "density_parts.hpp"

namespace findrho::detail {
namespace {

using std::numbers::pi;
using Vector = std::array<double, 3>;

double dot(Vector const& a, Vector const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A spoke may miss the line, the uniform spacing and the centre by 2 % of a cycle per FOV: far above the
// rounding of float files, far below what would move a ring.
constexpr double kToleranceCycles = 0.02;

/// Sample j lies at (first + j step) direction, step > 0.
struct Spoke {
  Vector direction;
  double first, step;
  std::int64_t samples;
  double last() const { return first + static_cast<double>(samples - 1) * step; }
  bool is_full() const { return std::abs(last() + first) <= 2 * step; }
  bool is_outward_half() const { return first >= -0.5 * step && first <= 1.5 * step; }
  bool is_inward_half() const { return last() <= 0.5 * step && last() >= -1.5 * step; }
};

Vector point(UnitSamples const& unit, std::int64_t readout, std::int64_t j) {
  std::size_t const m = unit.at(readout, j);
  return {unit.points.kx[m], unit.points.ky[m], unit.dims == 3 ? unit.points.kz[m] : 0.0};
}

std::optional<Spoke> find_spoke(UnitSamples const& unit, std::int64_t readout) {
  double const tolerance = kToleranceCycles * unit.cycle;
  Vector const a = point(unit, readout, 0), b = point(unit, readout, unit.samples - 1);
  Vector const along{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  double const length = std::sqrt(dot(along, along));
  if (!(length > tolerance)) return std::nullopt;
  Vector const direction{along[0] / length, along[1] / length, along[2] / length};
  Spoke const spoke{direction, dot(a, direction), length / static_cast<double>(unit.samples - 1),
                    unit.samples};
  for (std::int64_t j = 0; j < unit.samples; ++j) {
    Vector const p = point(unit, readout, j);
    double const s = spoke.first + static_cast<double>(j) * spoke.step;
    for (std::size_t d = 0; d < 3; ++d) {
      if (!(std::abs(p[d] - s * direction[d]) <= tolerance)) return std::nullopt;
    }
  }
  return spoke;
}

/// Angle of the circle that is nearest to each direction: half the gaps to both neighbours; equal directions
/// share.
std::vector<double> angular_shares(std::vector<Vector> const& rays) {
  constexpr double kSame = 1e-6;  // rad; a float rounds a direction to 1e-7
  std::vector<double> angle(rays.size());
  std::transform(rays.begin(), rays.end(), angle.begin(),
                 [](Vector const& v) { return std::atan2(v[1], v[0]); });
  std::vector<std::size_t> order(rays.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return angle[a] < angle[b]; });

  std::vector<std::size_t> begin;  // where in `order` a new direction begins
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || angle[order[i]] - angle[order[i - 1]] > kSame) begin.push_back(i);
  }
  // -pi and +pi are one direction; it may be split in two groups, which then have a gap near 0 between them.
  std::size_t const groups = begin.size();
  begin.push_back(order.size());
  std::vector<double> share(rays.size());
  auto const group_angle = [&](std::size_t g) {
    return angle[order[begin[g % groups]]] + (g >= groups ? 2 * pi : 0);
  };
  for (std::size_t g = 0; g < groups; ++g) {
    double const before =
        g == 0 ? group_angle(groups) - group_angle(groups - 1) : group_angle(g) - group_angle(g - 1);
    double const width = 0.5 * (before + group_angle(g + 1) - group_angle(g));
    for (std::size_t i = begin[g]; i < begin[g + 1]; ++i) {
      share[order[i]] = width / static_cast<double>(begin[g + 1] - begin[g]);
    }
  }
  return share;
}

/// Integral of r^(dims-1) from a to b, 0 <= a <= b.
double radial_integral(double a, double b, int dims) {
  return dims == 2 ? 0.5 * (b * b - a * a) : (b * b * b - a * a * a) / 3;
}

struct Bundle {
  std::vector<Spoke> spokes;
  std::vector<double> forward, backward;  // share of the circle or sphere of each spoke's two rays
  bool full = true;
};

/// Inward half spokes turned round, the shares of all rays found.
std::optional<Bundle> find_bundle(UnitSamples const& unit) {
  Bundle bundle;
  bool half = true;
  for (std::int64_t i = 0; i < unit.readouts; ++i) {
    auto const spoke = find_spoke(unit, i);
    if (!spoke) return std::nullopt;
    bundle.full = bundle.full && spoke->is_full();
    half = half && (spoke->is_outward_half() || spoke->is_inward_half());
    bundle.spokes.push_back(*spoke);
  }
  if (!bundle.full && !half) return std::nullopt;

  std::vector<Vector> rays;
  for (Spoke const& s : bundle.spokes) {
    double const sign = !bundle.full && s.is_inward_half() ? -1 : 1;
    rays.push_back({sign * s.direction[0], sign * s.direction[1], sign * s.direction[2]});
  }
  std::size_t const spokes = rays.size();
  for (std::size_t i = 0; bundle.full && i < spokes; ++i)
    rays.push_back({-rays[i][0], -rays[i][1], -rays[i][2]});
  if (rays.size() < 3 || (unit.dims == 3 && !evenly_on_sphere(rays))) return std::nullopt;

  auto const shares = unit.dims == 2
                          ? angular_shares(rays)
                          : std::vector<double>(rays.size(), 4 * pi / static_cast<double>(rays.size()));
  auto const middle = shares.begin() + static_cast<std::ptrdiff_t>(spokes);
  bundle.forward.assign(shares.begin(), middle);
  bundle.backward.assign(middle, shares.end());
  bundle.backward.resize(spokes, 0.0);
  return bundle;
}

}  // namespace

/// Directions spread evenly over the sphere have each coordinate uniform in -1..1 (Archimedes): the largest
/// distance between the distribution of the rays' coordinates and that one, for n rays at most 1/sqrt(n), as
/// for random ones.
bool evenly_on_sphere(std::vector<std::array<double, 3>> const& rays) {
  double const n = static_cast<double>(rays.size());
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> c(rays.size());
    std::transform(rays.begin(), rays.end(), c.begin(), [&](Vector const& v) { return v[d]; });
    std::sort(c.begin(), c.end());
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (std::abs((static_cast<double>(i) + 0.5) / n - 0.5 * (c[i] + 1)) > 1 / std::sqrt(n)) return false;
    }
  }
  return true;
}

std::optional<DensityWeights> radial_density(UnitSamples const& unit) {
  if (unit.samples < 3) return std::nullopt;
  auto const bundle = find_bundle(unit);
  if (!bundle) return std::nullopt;

  DensityWeights density{std::vector<double>(static_cast<std::size_t>(unit.points.size())), {}};
  for (std::int64_t i = 0; i < unit.readouts; ++i) {
    auto const spoke_index = static_cast<std::size_t>(i);
    Spoke const& spoke = bundle->spokes[spoke_index];
    bool const inward = !bundle->full && spoke.is_inward_half();
    for (std::int64_t j = 0; j < unit.samples; ++j) {
      double const s = (inward ? -1 : 1) * (spoke.first + static_cast<double>(j) * spoke.step);
      bool const innermost = !bundle->full && j == (inward ? unit.samples - 1 : 0);
      // The innermost sample of a half spoke also stands for what lies between it and the centre.
      double const from = innermost ? 0 : s - 0.5 * spoke.step, to = s + 0.5 * spoke.step;
      double const ahead = radial_integral(std::max(from, 0.0), std::max(to, 0.0), unit.dims);
      double const behind = radial_integral(std::max(-to, 0.0), std::max(-from, 0.0), unit.dims);
      density.weights[unit.at(i, j)] =
          ahead * bundle->forward[spoke_index] + behind * bundle->backward[spoke_index];
    }
  }
  density.method = "analytic radial " + std::to_string(unit.dims) + "D, " + std::to_string(unit.readouts) +
                   (bundle->full ? " full" : " half") + " spokes";
  return density;
}

}  // namespace findrho::detail
