// SPDX-License-Identifier: BSD-3-Clause
// Density of Archimedean spirals: rings between the mean radii of successive samples, shared by the
// interleaves.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "density_parts.hpp"

namespace findrho::detail {
namespace {

using std::numbers::pi;

/// One interleave from the centre outward: radius of each sample and the line |k| = pitch (angle - start).
struct Interleave {
  std::vector<double> radius;
  double pitch = 0, start = 0;
};

/// Least-squares line through (angle, radius) of the samples at least one cycle per FOV from the centre,
/// where angles are reliable; those samples' radii are replaced by the line's, which smooths the jitter of
/// measured trajectories.
std::optional<Interleave> fit_line(std::vector<double> radius, std::vector<double> const& angle, double cycle,
                                   std::int64_t interleaves) {
  double n = 0, sum_a = 0, sum_r = 0;
  for (std::size_t j = 0; j < radius.size(); ++j) {
    if (radius[j] < cycle) continue;
    n += 1, sum_a += angle[j], sum_r += radius[j];
  }
  if (n < 3) return std::nullopt;
  double const mean_a = sum_a / n, mean_r = sum_r / n;
  double var = 0, cov = 0;
  for (std::size_t j = 0; j < radius.size(); ++j) {
    if (radius[j] < cycle) continue;
    var += (angle[j] - mean_a) * (angle[j] - mean_a);
    cov += (angle[j] - mean_a) * (radius[j] - mean_r);
  }
  double const pitch = cov / var;
  if (!std::isfinite(pitch) || pitch == 0) return std::nullopt;

  double const allowed = 0.1 * 2 * pi * std::abs(pitch) / static_cast<double>(interleaves);
  for (std::size_t j = 0; j < radius.size(); ++j) {
    if (radius[j] < cycle) continue;
    double const line = mean_r + pitch * (angle[j] - mean_a);
    if (std::abs(line - radius[j]) > allowed) return std::nullopt;
    radius[j] = line;
  }
  return Interleave{std::move(radius), pitch, mean_a - mean_r / pitch};
}

std::optional<Interleave> find_interleave(UnitSamples const& unit, std::int64_t i, bool inward) {
  std::vector<double> radius, angle;
  double turns = 0, last = 0;
  for (std::int64_t j = 0; j < unit.samples; ++j) {
    std::size_t const m = unit.at(i, inward ? unit.samples - 1 - j : j);
    double const x = unit.points.kx[m], y = unit.points.ky[m];
    radius.push_back(std::hypot(x, y));
    double const a = std::atan2(y, x);
    if (j > 0) turns -= std::round((a - last) / (2 * pi));
    last = a;
    angle.push_back(a + 2 * pi * turns);
  }
  return fit_line(std::move(radius), angle, unit.cycle, unit.readouts);
}

/// Same pitch within 1 % and start angles within a tenth of their spacing of equidistant ones.
bool equally_spaced(std::vector<Interleave> const& interleaves) {
  double const n = static_cast<double>(interleaves.size()), spacing = 2 * pi / n;
  std::vector<double> offset;
  for (Interleave const& s : interleaves) {
    if (std::abs(s.pitch - interleaves[0].pitch) > 0.01 * std::abs(interleaves[0].pitch)) return false;
    // Half a spacing is added so that start 0 is not torn apart by rounding.
    double const from_first = s.start - interleaves[0].start + 0.5 * spacing;
    offset.push_back(from_first - 2 * pi * std::floor(from_first / (2 * pi)));
  }
  std::sort(offset.begin(), offset.end());
  for (std::size_t i = 0; i < offset.size(); ++i) {
    if (std::abs(offset[i] - (static_cast<double>(i) + 0.5) * spacing) > 0.1 * spacing) return false;
  }
  return true;
}

/// Ring areas from the centre outward. Samples that rest at the centre share its disc.
std::vector<double> ring_areas(std::vector<double> const& radius, double cycle) {
  std::size_t const n = radius.size();
  std::size_t resting = 1;
  while (resting < n && radius[resting] < 1e-4 * cycle) ++resting;
  std::vector<double> area(n);
  double inner = 0;
  for (std::size_t j = resting - 1; j < n; ++j) {
    double const outer =
        j + 1 < n ? 0.5 * (radius[j] + radius[j + 1]) : 1.5 * radius[n - 1] - 0.5 * radius[n - 2];
    area[j] = std::max(0.0, pi * (outer * outer - inner * inner));
    inner = std::max(inner, outer);
  }
  std::fill_n(area.begin(), resting, area[resting - 1] / static_cast<double>(resting));
  return area;
}

}  // namespace

std::optional<DensityWeights> spiral_density(UnitSamples const& unit) {
  if (unit.samples < 8) return std::nullopt;
  std::size_t const end = unit.at(0, unit.samples - 1);
  bool const inward =
      std::hypot(unit.points.kx[0], unit.points.ky[0]) > std::hypot(unit.points.kx[end], unit.points.ky[end]);
  std::vector<Interleave> interleaves;
  for (std::int64_t i = 0; i < unit.readouts; ++i) {
    auto interleave = find_interleave(unit, i, inward);
    if (!interleave) return std::nullopt;
    interleaves.push_back(std::move(*interleave));
  }
  if (!equally_spaced(interleaves)) return std::nullopt;

  DensityWeights density{std::vector<double>(static_cast<std::size_t>(unit.points.size())),
                         "analytic Archimedean spiral, " + std::to_string(unit.readouts) + " interleaves"};
  for (std::int64_t i = 0; i < unit.readouts; ++i) {
    auto const area = ring_areas(interleaves[static_cast<std::size_t>(i)].radius, unit.cycle);
    for (std::int64_t j = 0; j < unit.samples; ++j) {
      density.weights[unit.at(i, inward ? unit.samples - 1 - j : j)] =
          area[static_cast<std::size_t>(j)] / static_cast<double>(unit.readouts);
    }
  }
  return density;
}

}  // namespace findrho::detail
