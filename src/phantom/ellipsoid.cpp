// SPDX-License-Identifier: BSD-3-Clause
#include "ellipsoid.hpp"

#include <cmath>
#include <string>

#include "findrho/core/error.hpp"

namespace findrho::detail {

std::array<std::array<double, 3>, 3> scaled_axes(Ellipsoid const& ellipsoid, int dims) {
  double const c = std::cos(ellipsoid.rotation_rad), s = std::sin(ellipsoid.rotation_rad);
  auto const& a = ellipsoid.semi_axis;
  return {{{a[0] * c, a[0] * s, 0}, {-a[1] * s, a[1] * c, 0}, {0, 0, dims == 3 ? a[2] : 0}}};
}

std::array<std::array<double, 3>, 3> to_unit_ball(Ellipsoid const& ellipsoid, int dims) {
  double const c = std::cos(ellipsoid.rotation_rad), s = std::sin(ellipsoid.rotation_rad);
  auto const& a = ellipsoid.semi_axis;
  return {{{c / a[0], s / a[0], 0}, {-s / a[1], c / a[1], 0}, {0, 0, dims == 3 ? 1 / a[2] : 0}}};
}

void require_phantom(Phantom const& phantom, Matrix const& matrix) {
  if (phantom.dims != matrix.dims()) {
    throw Error(ErrorKind::bad_shape,
                "the phantom has " + std::to_string(phantom.dims) + " dimensions, the matrix " +
                    std::to_string(matrix.dims()),
                "a matrix with z = 1 takes a 2D phantom");
  }
  for (Ellipsoid const& e : phantom.ellipsoids) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(phantom.dims); ++d) {
      if (e.semi_axis[d] > 0 && std::isfinite(e.semi_axis[d])) continue;
      throw Error(ErrorKind::bad_option, "a semi-axis is " + std::to_string(e.semi_axis[d]),
                  "give lengths above 0");
    }
  }
}

}  // namespace findrho::detail
