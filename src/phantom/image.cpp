// SPDX-License-Identifier: BSD-3-Clause
// Voxel averages of solids: exact chord lengths along x on a fine set of lines along y and z.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "findrho/core/error.hpp"
#include "solid.hpp"

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

struct Interval {
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
};

void cut(Interval& interval, double from, double to) {
  interval.from = std::max(interval.from, from);
  interval.to = std::min(interval.to, to);
}

/// Where |across + x along| < 1.
void cut_slab(Interval& interval, double along, double across) {
  if (along == 0) {
    if (std::abs(across) >= 1) interval.to = interval.from;
    return;
  }
  double const a = (-1 - across) / along, b = (1 - across) / along;
  cut(interval, std::min(a, b), std::max(a, b));
}

/// Where |across + x along|^2 < 1, the vectors having `rank` components: a quadratic in x.
void cut_ball(Interval& interval, std::array<double, 3> along, std::array<double, 3> across,
              std::size_t rank) {
  for (std::size_t e = rank; e < 3; ++e) along[e] = across[e] = 0;
  double const a = dot(along, along), b = dot(along, across), c = dot(across, across) - 1;
  double const discriminant = b * b - a * c;
  if (discriminant <= 0) {
    interval.to = interval.from;
    return;
  }
  double const root = std::sqrt(discriminant);
  cut(interval, (-b - root) / a, (-b + root) / a);
}

/// The solid's chord along x at height (y, z), as distances from its centre.
Interval chord(Solid const& solid, Rows const& rows, double y, double z) {
  double const dy = y - solid.center[1], dz = z - solid.center[2];
  std::array<double, 3> along{}, across{};
  for (std::size_t e = 0; e < 3; ++e) {
    along[e] = rows[e][0];
    across[e] = rows[e][1] * dy + rows[e][2] * dz;
  }
  Interval result;
  if (solid.shape == SolidShape::ellipsoid) cut_ball(result, along, across, 3);
  if (solid.shape == SolidShape::cylinder) {
    cut_ball(result, along, across, 2);
    cut_slab(result, along[2], across[2]);
  }
  if (solid.shape == SolidShape::box) {
    for (std::size_t e = 0; e < 3; ++e) cut_slab(result, along[e], across[e]);
  }
  return result;
}

/// Lines that stand for a voxel's width along y or z, and what each counts.
struct Lines {
  std::array<double, kLines> at{}, weight{};
  int count = 0;
};

/// For an axis along which the solid is a slab: one line through its middle, counting the part of the voxel that it fills.
Lines filled_part(double center, double half, std::int64_t voxel, std::int64_t n) {
  double const low = position(static_cast<double>(voxel) - 0.5, n),
               high = position(static_cast<double>(voxel) + 0.5, n);
  double const filled = std::min(high, center + half) - std::max(low, center - half);
  if (filled <= 0) return {};
  return {{center}, {filled * static_cast<double>(n)}, 1};
}

Lines even_lines(std::int64_t voxel, std::int64_t n) {
  Lines lines{{}, {}, kLines};
  for (int i = 0; i < kLines; ++i) {
    auto const l = static_cast<std::size_t>(i);
    lines.at[l] = position(static_cast<double>(voxel) + (i + 0.5) / kLines - 0.5, n);
    lines.weight[l] = 1.0 / kLines;
  }
  return lines;
}

Lines lines_y(Solid const& solid, std::int64_t voxel, std::int64_t n) {
  bool const slab = solid.shape == SolidShape::box && solid.rotation_rad == 0;
  return slab ? filled_part(solid.center[1], solid.semi_axis[1], voxel, n) : even_lines(voxel, n);
}

Lines lines_z(Solid const& solid, int dims, std::int64_t voxel, std::int64_t n) {
  if (dims == 2) return {{solid.center[2]}, {1}, 1};
  bool const slab = solid.shape != SolidShape::ellipsoid;
  return slab ? filled_part(solid.center[2], solid.semi_axis[2], voxel, n) : even_lines(voxel, n);
}

/// Adds the solid to the row (y, z) of voxels.
void add_solid(Solid const& solid, Rows const& rows, Lines const& along_y, Lines const& along_z,
               std::vector<double>& steps) {
  auto const n = static_cast<std::int64_t>(steps.size()) - 2;
  // Voxel n covers the edges n .. n + 1 of this scale.
  auto const edge = [&](double x) {
    return (solid.center[0] + x) * static_cast<double>(n) + static_cast<double>(n / 2) + 0.5;
  };
  for (std::size_t z = 0; z < static_cast<std::size_t>(along_z.count); ++z) {
    for (std::size_t y = 0; y < static_cast<std::size_t>(along_y.count); ++y) {
      Interval const inside = chord(solid, rows, along_y.at[y], along_z.at[z]);
      if (inside.to <= inside.from) continue;
      add_chord(steps, edge(inside.from), edge(inside.to),
                solid.density * along_y.weight[y] * along_z.weight[z]);
    }
  }
}

}  // namespace

Array<std::complex<double>> phantom_image(Context const& context, Phantom const& phantom,
                                          Matrix const& matrix) {
  detail::require_phantom(phantom, matrix);
  std::vector<Rows> rows;
  for (Solid const& solid : phantom.solids) rows.push_back(detail::to_unit_solid(solid, phantom.dims));

  Array<std::complex<double>> image(matrix.shape());
  context.pool().each(matrix.z * matrix.y, [&](std::int64_t row) {
    std::vector<double> steps(static_cast<std::size_t>(matrix.x) + 2, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Solid const& solid = phantom.solids[i];
      add_solid(solid, rows[i], lines_y(solid, row % matrix.y, matrix.y),
                lines_z(solid, phantom.dims, row / matrix.y, matrix.z), steps);
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
  for (Solid const& solid : phantom.solids) rows.push_back(detail::to_unit_solid(solid, phantom.dims));
  double sum = 0, count = 0;
  for (std::int64_t n = 0; n < image.size(); ++n) {
    std::array<double, 3> const r{position(static_cast<double>(n % matrix.x), matrix.x),
                                  position(static_cast<double>(n / matrix.x % matrix.y), matrix.y),
                                  position(static_cast<double>(n / matrix.x / matrix.y), matrix.z)};
    bool inside = false;
    for (std::size_t i = 0; i < rows.size() && !inside; ++i) {
      std::array<double, 3> x{};
      for (std::size_t e = 0; e < 3; ++e) {
        for (std::size_t d = 0; d < 3; ++d) x[e] += rows[i][e][d] * (r[d] - phantom.solids[i].center[d]);
      }
      inside = detail::inside_unit_solid(phantom.solids[i].shape, x);
    }
    if (!inside) continue;
    sum += std::abs(image[n]);
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace findrho
