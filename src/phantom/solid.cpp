// SPDX-License-Identifier: BSD-3-Clause
#include "solid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "findrho/core/error.hpp"

namespace findrho::detail {

std::array<std::array<double, 3>, 3> scaled_axes(Solid const& solid, int dims) {
  double const c = std::cos(solid.rotation_rad), s = std::sin(solid.rotation_rad);
  auto const& a = solid.semi_axis;
  return {{{a[0] * c, a[0] * s, 0}, {-a[1] * s, a[1] * c, 0}, {0, 0, dims == 3 ? a[2] : 0}}};
}

std::array<std::array<double, 3>, 3> to_unit_solid(Solid const& solid, int dims) {
  double const c = std::cos(solid.rotation_rad), s = std::sin(solid.rotation_rad);
  auto const& a = solid.semi_axis;
  return {{{c / a[0], s / a[0], 0}, {-s / a[1], c / a[1], 0}, {0, 0, dims == 3 ? 1 / a[2] : 0}}};
}

bool inside_unit_solid(SolidShape shape, std::array<double, 3> const& x) {
  bool const in_slab = std::abs(x[2]) < 1;
  switch (shape) {
    case SolidShape::ellipsoid:
      return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 1;
    case SolidShape::box:
      return std::abs(x[0]) < 1 && std::abs(x[1]) < 1 && in_slab;
    case SolidShape::cylinder:
      return x[0] * x[0] + x[1] * x[1] < 1 && in_slab;
  }
  return false;
}

void require_phantom(Phantom const& phantom, Matrix const& matrix) {
  if (phantom.dims != matrix.dims()) {
    throw Error(ErrorKind::bad_shape,
                "the phantom has " + std::to_string(phantom.dims) + " dimensions, the matrix " +
                    std::to_string(matrix.dims()),
                "a matrix with z = 1 takes a 2D phantom");
  }
  for (Solid const& e : phantom.solids) {
    require_decay(e.decay);
    for (std::size_t d = 0; d < static_cast<std::size_t>(phantom.dims); ++d) {
      if (e.semi_axis[d] > 0 && std::isfinite(e.semi_axis[d])) continue;
      throw Error(ErrorKind::bad_option, fmt::format("a semi-axis is {}", e.semi_axis[d]),
                  "give lengths above 0");
    }
  }
}

}  // namespace findrho::detail
