// SPDX-License-Identifier: BSD-3-Clause
// The Cartesian case, and the order in which the closed forms are tried.
#include "findrho/trajectory/density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "density_parts.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

// Trajectories are often stored as float cycles per voxel: 128 x 6e-8 rounds to 1e-5 cycles per FOV.
constexpr double kOnGrid = 1e-3;

/// The dimensions in which the samples really spread, or 0 where trajectory and matrix contradict each other.
int common_dims(Trajectory const& t, Matrix const& matrix) {
  if (t.dims == matrix.dims()) return t.dims;
  bool const flat =
      t.dims == 3 && std::all_of(t.kz.begin(), t.kz.end(), [](double k) { return std::abs(k) < kOnGrid; });
  return flat ? 2 : 0;
}

std::optional<DensityWeights> cartesian_density(Trajectory const& t, int dims) {
  using Cell = std::array<std::int64_t, 3>;
  std::vector<Cell> cells(static_cast<std::size_t>(t.size()), Cell{0, 0, 0});
  for (int d = 0; d < dims; ++d) {
    for (std::size_t m = 0; m < cells.size(); ++m) {
      double const nearest = std::round(t[d][m]);
      if (!(std::abs(t[d][m] - nearest) < kOnGrid)) return std::nullopt;
      cells[m][static_cast<std::size_t>(d)] = static_cast<std::int64_t>(nearest);
    }
  }
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cells[a] < cells[b]; });

  DensityWeights result{std::vector<double>(cells.size()), "analytic Cartesian"};
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && cells[order[end]] == cells[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) result.weights[order[i]] = 1 / static_cast<double>(end - begin);
  }
  return result;
}

detail::UnitSamples scaled(Trajectory const& t, Matrix const& matrix, int dims) {
  detail::UnitSamples unit;
  unit.dims = dims;
  unit.samples = t.samples_per_readout;
  unit.readouts = t.size() / t.samples_per_readout;
  unit.cycle = 2 / static_cast<double>(std::max({matrix.x, matrix.y, dims == 3 ? matrix.z : 1}));
  for (int d = 0; d < dims; ++d) {
    double const scale = 2 / static_cast<double>(matrix[d]);
    unit.points[d].resize(t[d].size());
    std::transform(t[d].begin(), t[d].end(), unit.points[d].begin(), [&](double k) { return k * scale; });
  }
  return unit;
}

/// Readouts of one plane kz each: the plane's own closed form, times the thickness of a plane, one cycle per FOV.
std::optional<DensityWeights> stack_density(Trajectory const& t, Matrix const& matrix) {
  auto const n = static_cast<std::size_t>(t.samples_per_readout);
  std::map<std::int64_t, std::vector<std::size_t>> planes;  // first sample of each readout
  for (std::size_t first = 0; first < t.kz.size(); first += n) {
    double const kz = std::round(t.kz[first]);
    for (std::size_t m = first; m < first + n; ++m) {
      if (!(std::abs(t.kz[m] - kz) < kOnGrid)) return std::nullopt;
    }
    planes[static_cast<std::int64_t>(kz)].push_back(first);
  }
  DensityWeights result{std::vector<double>(t.kx.size()), {}};
  Trajectory before;
  std::optional<DensityWeights> density;
  for (auto const& [kz, readouts] : planes) {
    Trajectory plane;
    plane.samples_per_readout = t.samples_per_readout;
    for (std::size_t const first : readouts) {
      auto const begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(first + n);
      plane.kx.insert(plane.kx.end(), t.kx.begin() + begin, t.kx.begin() + end);
      plane.ky.insert(plane.ky.end(), t.ky.begin() + begin, t.ky.begin() + end);
    }
    if (plane.kx != before.kx || plane.ky != before.ky) {
      density = analytic_density_if_known(plane, {matrix.x, matrix.y, 1});
    }
    if (!density) return std::nullopt;
    for (std::size_t i = 0; i < readouts.size(); ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        result.weights[readouts[i] + j] = density->weights[i * n + j] / static_cast<double>(matrix.z);
      }
    }
    before = std::move(plane);
  }
  result.method = density->method + " in each of " + std::to_string(planes.size()) + " planes";
  return result;
}

void scale(DensityWeights& density, double factor) {
  for (double& w : density.weights) w *= factor;
}

}  // namespace

std::optional<DensityWeights> analytic_density_if_known(Trajectory const& trajectory, Matrix const& matrix) {
  int const dims = common_dims(trajectory, matrix);
  if (dims == 0 || trajectory.size() == 0) return std::nullopt;
  if (auto density = cartesian_density(trajectory, dims)) {
    scale(*density, 1 / static_cast<double>(matrix.voxels()));
    return density;
  }
  std::int64_t const per_readout = trajectory.samples_per_readout;
  if (per_readout < 1 || trajectory.size() % per_readout != 0) return std::nullopt;

  if (dims == 3) {
    if (auto density = stack_density(trajectory, matrix)) return density;
  }
  detail::UnitSamples const unit = scaled(trajectory, matrix, dims);
  auto density = detail::radial_density(unit);
  if (!density && dims == 2) density = detail::spiral_density(unit);
  if (!density && dims == 2) density = detail::arms_density(unit);
  if (!density && dims == 3) density = detail::shells_density(unit);
  // The box of the matrix has the volume 2^dims in scaled units and prod N in cycles per FOV.
  if (density) scale(*density, std::ldexp(1.0, -dims));
  return density;
}

std::vector<double> analytic_density(Trajectory const& trajectory, Matrix const& matrix) {
  if (auto density = analytic_density_if_known(trajectory, matrix)) return std::move(density->weights);
  throw Error(ErrorKind::bad_option,
              "no closed form is known for the density of these " + std::to_string(trajectory.size()) +
                  " samples: neither Cartesian, radial, turned curves through the centre, curves on cones, "
                  "nor a stack of these",
              "use iterative (Pipe-Menon) density weights");
}

}  // namespace findrho
