// SPDX-License-Identifier: BSD-3-Clause
// Voxel averages of ellipsoids: exact chord lengths along x on a fine set of lines along y and z.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ellipsoid.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

constexpr int kLines = 8;  // per voxel along y and along z

using Rows = std::array<std::array<double, 3>, 3>;

double dot(std::array<double, 3> const& a, std::array<double, 3> const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double position(double voxel, std::int64_t n) {
  return (voxel - static_cast<double>(n / 2)) / static_cast<double>(n);
}

/// Adds `height` between the edges `from` and `to`, in voxels, to a row that is summed up afterwards: a step
/// at edge e inside voxel n raises the average of n by the part of n behind e, and of all later voxels fully.
void add_chord(std::vector<double>& steps, double from, double to, double height) {
  double const n = static_cast<double>(steps.size() - 2);
  for (auto const& [edge, rise] : {std::pair{from, height}, std::pair{to, -height}}) {
    double const e = std::clamp(edge, 0.0, n);
    auto const voxel = static_cast<std::size_t>(e);
    double const inside = e - static_cast<double>(voxel);
    steps[voxel] += (1 - inside) * rise;
    steps[voxel + 1] += inside * rise;
  }
}

/// The ellipsoid's chords along x at height (y, z): |rows (r - center)|^2 = 1 is a quadratic in r_x.
void add_line(Ellipsoid const& ellipsoid, Rows const& rows, double y, double z, double height, std::int64_t n,
              std::vector<double>& steps) {
  std::array<double, 3> const along{rows[0][0], rows[1][0], rows[2][0]};
  double const dy = y - ellipsoid.center[1], dz = z - ellipsoid.center[2];
  std::array<double, 3> across{};
  for (std::size_t e = 0; e < 3; ++e) across[e] = rows[e][1] * dy + rows[e][2] * dz;
  double const a = dot(along, along), b = dot(along, across), c = dot(across, across) - 1;
  double const discriminant = b * b - a * c;
  if (discriminant <= 0) return;
  double const root = std::sqrt(discriminant);
  // Voxel n covers the edges n .. n + 1 of this scale.
  auto const edge = [&](double x) {
    return (ellipsoid.center[0] + x) * static_cast<double>(n) + static_cast<double>(n / 2) + 0.5;
  };
  add_chord(steps, edge((-b - root) / a), edge((-b + root) / a), height);
}

}  // namespace

Array<std::complex<double>> phantom_image(Context const& context, Phantom const& phantom,
                                          Matrix const& matrix) {
  detail::require_phantom(phantom, matrix);
  int const lines_z = phantom.dims == 3 ? kLines : 1;
  double const weight = 1.0 / (kLines * lines_z);
  std::vector<Rows> rows;
  for (Ellipsoid const& e : phantom.ellipsoids) rows.push_back(detail::to_unit_ball(e, phantom.dims));

  Array<std::complex<double>> image(matrix.shape());
  context.pool().each(matrix.z * matrix.y, [&](std::int64_t row) {
    std::vector<double> steps(static_cast<std::size_t>(matrix.x) + 2, 0.0);
    for (int lz = 0; lz < lines_z; ++lz) {
      double const z = position(static_cast<double>(row / matrix.y) + (lz + 0.5) / lines_z - 0.5, matrix.z);
      for (int ly = 0; ly < kLines; ++ly) {
        double const y = position(static_cast<double>(row % matrix.y) + (ly + 0.5) / kLines - 0.5, matrix.y);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          Ellipsoid const& e = phantom.ellipsoids[i];
          add_line(e, rows[i], y, z, e.density * weight, matrix.x, steps);
        }
      }
    }
    double sum = 0;
    for (std::int64_t x = 0; x < matrix.x; ++x) {
      sum += steps[static_cast<std::size_t>(x)];
      image[row * matrix.x + x] = sum;
    }
  });
  return image;
}

double mean_inside(Phantom const& phantom, View<std::complex<double> const> image, Matrix const& matrix) {
  detail::require_phantom(phantom, matrix);
  require_shape(image.shape, matrix.shape(), "phantom image");
  std::vector<Rows> rows;
  for (Ellipsoid const& e : phantom.ellipsoids) rows.push_back(detail::to_unit_ball(e, phantom.dims));
  double sum = 0, count = 0;
  for (std::int64_t n = 0; n < image.size(); ++n) {
    std::int64_t const index[] = {n % matrix.x, n / matrix.x % matrix.y, n / matrix.x / matrix.y};
    bool const inside = std::any_of(rows.begin(), rows.end(), [&](Rows const& unit) {
      auto const& center = phantom.ellipsoids[static_cast<std::size_t>(&unit - rows.data())].center;
      double distance_sq = 0;
      for (auto const& row : unit) {
        double x = 0;
        for (int d = 0; d < 3; ++d) {
          auto const i = static_cast<std::size_t>(d);
          x += row[i] * (position(static_cast<double>(index[i]), matrix[d]) - center[i]);
        }
        distance_sq += x * x;
      }
      return distance_sq < 1;
    });
    if (!inside) continue;
    sum += std::abs(image[n]);
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace findrho
