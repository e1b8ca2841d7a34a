// SPDX-License-Identifier: BSD-3-Clause
// Density of curves that sweep all radii: the ring or shell between the mean radii of successive samples, shared by all sweeps
// over it. In 2D for readouts that are turned copies of each other (spirals of any kind, rosettes), in 3D for curves on cones
// and for spokes of any spacing.
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

constexpr double kToleranceCycles =
    0.02;  // as for spokes: above the rounding of float files, below what moves a ring

std::array<double, 3> point(UnitSamples const& unit, std::int64_t readout, std::int64_t j) {
  std::size_t const m = unit.at(readout, j);
  return {unit.points.kx[m], unit.points.ky[m], unit.dims == 3 ? unit.points.kz[m] : 0.0};
}

std::vector<double> radii(UnitSamples const& unit, std::int64_t readout) {
  std::vector<double> r(static_cast<std::size_t>(unit.samples));
  for (std::int64_t j = 0; j < unit.samples; ++j) {
    auto const p = point(unit, readout, j);
    r[static_cast<std::size_t>(j)] = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  }
  return r;
}

/// Disc or ball of a radius over its full angle: r^2/2 or r^3/3.
double volume(double r, int dims) {
  return dims == 2 ? 0.5 * r * r : r * r * r / 3;
}

/// What every sample of a readout sweeps: the shells to the mean radii of its neighbours; at an end that lies outside, half a
/// step more. Per unit of angle.
std::vector<double> swept(std::vector<double> const& r, int dims) {
  std::vector<double> v(r.size());
  for (std::size_t j = 0; j + 1 < r.size(); ++j) {
    double const middle = volume(0.5 * (r[j] + r[j + 1]), dims);
    v[j] += std::abs(middle - volume(r[j], dims));
    v[j + 1] += std::abs(middle - volume(r[j + 1], dims));
  }
  auto const beyond = [&](std::size_t end, std::size_t before) {
    double const step = r[end] - r[before];
    if (step > 0 && r[end] > 0.5 * *std::max_element(r.begin(), r.end())) {
      v[end] += volume(r[end] + 0.5 * step, dims) - volume(r[end], dims);
    }
  };
  beyond(0, 1);
  beyond(r.size() - 1, r.size() - 2);
  return v;
}

/// Angles, in turns or any other unit of the circle `full`, within a tenth of their spacing of equal ones.
bool evenly_spaced(std::vector<double> angle, double full) {
  double const spacing = full / static_cast<double>(angle.size());
  double const first = angle[0];
  for (double& a : angle) {
    a = a - first + 0.5 * spacing;
    a -= full * std::floor(a / full);
  }
  std::sort(angle.begin(), angle.end());
  for (std::size_t i = 0; i < angle.size(); ++i) {
    if (std::abs(angle[i] - (static_cast<double>(i) + 0.5) * spacing) > 0.1 * spacing) return false;
  }
  return true;
}

/// Whether a readout is the first one turned around the centre.
bool is_turned_copy(UnitSamples const& unit, std::int64_t readout, std::int64_t farthest) {
  auto const a = point(unit, 0, farthest), b = point(unit, readout, farthest);
  double const length_sq = a[0] * a[0] + a[1] * a[1];
  double const c = (a[0] * b[0] + a[1] * b[1]) / length_sq, s = (a[0] * b[1] - a[1] * b[0]) / length_sq;
  double const tolerance = kToleranceCycles * unit.cycle;
  for (std::int64_t j = 0; j < unit.samples; ++j) {
    auto const p = point(unit, 0, j), q = point(unit, readout, j);
    if (!(std::abs(c * p[0] - s * p[1] - q[0]) <= tolerance) ||
        !(std::abs(s * p[0] + c * p[1] - q[1]) <= tolerance)) {
      return false;
    }
  }
  return true;
}

/// Samples at which the radius is largest between two visits of the inner half of k-space.
std::vector<std::int64_t> peaks(std::vector<double> const& r) {
  double const edge = *std::max_element(r.begin(), r.end());
  std::vector<std::int64_t> result;
  std::int64_t best = -1;
  for (std::size_t j = 0; j <= r.size(); ++j) {
    bool const outside = j < r.size() && r[j] > 0.5 * edge;
    if (outside && (best < 0 || r[j] > r[static_cast<std::size_t>(best)]))
      best = static_cast<std::int64_t>(j);
    if (!outside && best >= 0) {
      result.push_back(best);
      best = -1;
    }
  }
  return result;
}

}  // namespace

std::optional<DensityWeights> arms_density(UnitSamples const& unit) {
  if (unit.samples < 8) return std::nullopt;
  auto const r = radii(unit, 0);
  auto const edge = std::max_element(r.begin(), r.end());
  if (*std::min_element(r.begin(), r.end()) > kToleranceCycles * unit.cycle || !(*edge > unit.cycle))
    return std::nullopt;
  auto const tips = peaks(r);
  std::vector<double> angle;
  for (std::int64_t i = 0; i < unit.readouts; ++i) {
    if (!is_turned_copy(unit, i, edge - r.begin())) return std::nullopt;
    for (std::int64_t const tip : tips) {
      // Every way out to the edge has to reach it.
      if (r[static_cast<std::size_t>(tip)] < 0.99 * *edge - unit.cycle) return std::nullopt;
      auto const p = point(unit, i, tip);
      angle.push_back(std::atan2(p[1], p[0]));
    }
  }
  if (!evenly_spaced(angle, 2 * pi)) return std::nullopt;

  // Sweeps over all radii, the ends beyond the last samples not counted.
  double sweeps = 0;
  for (std::size_t j = 0; j + 1 < r.size(); ++j) sweeps += std::abs(volume(r[j + 1], 2) - volume(r[j], 2));
  sweeps *= static_cast<double>(unit.readouts) / volume(*edge, 2);
  auto const shells = swept(r, 2);
  DensityWeights density{std::vector<double>(static_cast<std::size_t>(unit.points.size())),
                         "analytic |k| d|k|, " + std::to_string(unit.readouts) + " turned readouts"};
  for (std::int64_t i = 0; i < unit.readouts; ++i) {
    for (std::int64_t j = 0; j < unit.samples; ++j) {
      density.weights[unit.at(i, j)] = 2 * pi / sweeps * shells[static_cast<std::size_t>(j)];
    }
  }
  return density;
}

namespace {

/// A readout from or to the centre whose angle to the z axis does not change.
struct ConeCurve {
  double cosine = 0, azimuth = 0;  // of its outer end
  bool straight = true;
  std::array<double, 3> end{};
};

std::optional<ConeCurve> find_cone(UnitSamples const& unit, std::int64_t readout,
                                   std::vector<double> const& r) {
  bool const inward = r.front() > r.back();
  double const tolerance = kToleranceCycles * unit.cycle;
  if (std::min(r.front(), r.back()) > tolerance || !(std::max(r.front(), r.back()) > unit.cycle))
    return std::nullopt;
  ConeCurve curve;
  double const length = inward ? r.front() : r.back();
  curve.end = point(unit, readout, inward ? 0 : unit.samples - 1);
  for (double& e : curve.end) e /= length;
  curve.cosine = curve.end[2];
  curve.azimuth = std::atan2(curve.end[1], curve.end[0]);
  for (std::int64_t j = 0; j < unit.samples; ++j) {
    auto const p = point(unit, readout, j);
    auto const at = static_cast<std::size_t>(j);
    if (!(std::abs(p[2] - curve.cosine * r[at]) <= tolerance)) return std::nullopt;
    if (j > 0 && (inward ? r[at] > r[at - 1] : r[at] < r[at - 1]) &&
        std::abs(r[at] - r[at - 1]) > tolerance) {
      return std::nullopt;
    }
    curve.straight = curve.straight && std::abs(p[0] - curve.end[0] * r[at]) <= tolerance &&
                     std::abs(p[1] - curve.end[1] * r[at]) <= tolerance;
  }
  return curve;
}

/// Solid angle of each curve: bands between neighbouring cones, shared by the curves of a cone.
std::optional<std::vector<double>> cone_shares(std::vector<ConeCurve> const& curves) {
  constexpr double kSame = 1e-5;  // of the cosine: floats round it to 1e-7, cones are farther apart
  std::vector<std::size_t> order(curves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return curves[a].cosine < curves[b].cosine; });
  std::vector<std::size_t> begin;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || curves[order[i]].cosine - curves[order[i - 1]].cosine > kSame) begin.push_back(i);
  }
  std::size_t const cones = begin.size();
  begin.push_back(order.size());
  auto const polar = [&](std::size_t c) {
    return std::acos(std::clamp(curves[order[begin[c]]].cosine, -1.0, 1.0));
  };
  std::vector<double> angles(cones);
  for (std::size_t c = 0; c < cones; ++c) angles[c] = polar(c);
  if (cones < 3 || !evenly_spaced(angles, pi)) return std::nullopt;
  std::vector<double> share(curves.size());
  for (std::size_t c = 0; c < cones; ++c) {
    double const low = c == 0 ? -1 : std::cos(0.5 * (polar(c - 1) + polar(c)));
    double const high = c + 1 == cones ? 1 : std::cos(0.5 * (polar(c) + polar(c + 1)));
    std::vector<double> azimuth;
    for (std::size_t i = begin[c]; i < begin[c + 1]; ++i) azimuth.push_back(curves[order[i]].azimuth);
    if (!evenly_spaced(azimuth, 2 * pi)) return std::nullopt;
    for (std::size_t i = begin[c]; i < begin[c + 1]; ++i) {
      share[order[i]] = 2 * pi * (high - low) / static_cast<double>(azimuth.size());
    }
  }
  return share;
}

}  // namespace

std::optional<DensityWeights> shells_density(UnitSamples const& unit) {
  if (unit.samples < 3 || unit.dims != 3) return std::nullopt;
  std::vector<ConeCurve> curves;
  bool straight = true;
  for (std::int64_t i = 0; i < unit.readouts; ++i) {
    auto const curve = find_cone(unit, i, radii(unit, i));
    if (!curve) return std::nullopt;
    straight = straight && curve->straight;
    curves.push_back(*curve);
  }
  std::vector<double> share(curves.size(), 4 * pi / static_cast<double>(curves.size()));
  if (straight) {
    std::vector<std::array<double, 3>> rays;
    for (ConeCurve const& curve : curves) rays.push_back(curve.end);
    if (rays.size() < 3 || !evenly_on_sphere(rays)) return std::nullopt;
  } else if (auto shares = cone_shares(curves)) {
    share = std::move(*shares);
  } else {
    return std::nullopt;
  }
  DensityWeights density{std::vector<double>(static_cast<std::size_t>(unit.points.size())),
                         std::string("analytic shells, ") + std::to_string(unit.readouts) +
                             (straight ? " spokes" : " curves on cones")};
  for (std::int64_t i = 0; i < unit.readouts; ++i) {
    auto const shells = swept(radii(unit, i), 3);
    for (std::int64_t j = 0; j < unit.samples; ++j) {
      density.weights[unit.at(i, j)] =
          share[static_cast<std::size_t>(i)] * shells[static_cast<std::size_t>(j)];
    }
  }
  return density;
}

}  // namespace findrho::detail
