// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/radial_3d.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "generator.hpp"
#include "option_binding.hpp"
#include "spokes.hpp"

namespace findrho {
namespace {

using std::numbers::pi;

/// Height z on the unit sphere and azimuth to a unit vector.
std::array<double, 3> on_sphere(double z, double azimuth) {
  double const r = std::sqrt(std::max(0.0, 1 - z * z));
  return {r * std::cos(azimuth), r * std::sin(azimuth), z};
}

double fraction(double a) {
  return a - std::floor(a);
}

// The two-dimensional golden means of Chan et al.: b = 0.6823... solves b^3 + b = 1, and a = b^2 = 0.4656...
constexpr double kGoldenB = 0.68232780382801933;
constexpr double kGoldenA = kGoldenB * kGoldenB;

std::array<double, 3> golden_direction(std::int64_t i, bool half_sphere) {
  double const height = fraction(static_cast<double>(i) * kGoldenA);
  return on_sphere(half_sphere ? height : 2 * height - 1,
                   2 * pi * fraction(static_cast<double>(i) * kGoldenB));
}

/// Heights in equal steps are rings of equal area; the azimuth keeps neighbouring turns as far apart as
/// neighbours on one turn. `rays` is the number of spoke ends on the whole sphere.
std::array<double, 3> spiral_direction(std::int64_t i, std::int64_t spokes, bool half_sphere) {
  double const u = (static_cast<double>(i) + 0.5) / static_cast<double>(spokes);
  double const z = half_sphere ? u : 2 * u - 1;
  double const rays = static_cast<double>(half_sphere ? 2 * spokes : spokes);
  return on_sphere(z, std::sqrt(rays * pi) * std::asin(z));
}

}  // namespace

std::vector<std::array<double, 3>> detail::sphere_directions(std::int64_t spokes, SphereOrder order,
                                                             SpokeKind kind) {
  bool const full = kind == SpokeKind::full;
  std::vector<std::array<double, 3>> directions(static_cast<std::size_t>(spokes));
  for (std::int64_t i = 0; i < spokes; ++i) {
    directions[static_cast<std::size_t>(i)] =
        order == SphereOrder::golden_means ? golden_direction(i, full) : spiral_direction(i, spokes, full);
  }
  return directions;
}

Trajectory make_radial_3d(Matrix const& matrix, Radial3dOptions const& options) {
  detail::require_matrix(matrix, 3, "3D radial");
  bool const full = options.kind == SpokeKind::full;
  // At the edge each of the 4 pi (N/2)^2 square cycles per FOV needs a ray of its own.
  double const n = static_cast<double>(std::max({matrix.x, matrix.y, matrix.z}));
  double const nyquist = full ? pi / 2 * n * n : pi * n * n;
  std::int64_t const spokes = detail::spoke_count(options.spokes, options.undersampling, nyquist);

  auto const directions = detail::sphere_directions(spokes, options.order, options.kind);
  return detail::make_spokes(
      matrix, 3, directions,
      {options.kind, options.samples_per_spoke, options.readout_oversampling, options.dwell_s});
}

std::vector<detail::OptionBinding> detail::bind_options(Radial3dOptions& o) {
  return {shots(o.spokes),
          word<SpokeKind>("spoke", o.kind, {{"full", SpokeKind::full}, {"half", SpokeKind::half}},
                          "Edge to edge through the centre, or centre to edge"),
          word<SphereOrder>("sphere", o.order,
                            {{"golden_means", SphereOrder::golden_means}, {"spiral", SphereOrder::spiral}},
                            "How spoke directions follow each other on the sphere"),
          undersampling(o.undersampling),
          samples(o.samples_per_spoke),
          readout_oversampling(o.readout_oversampling),
          dwell(o.dwell_s)};
}

}  // namespace findrho
