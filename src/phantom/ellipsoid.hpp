// SPDX-License-Identifier: BSD-3-Clause
// Geometry of one ellipse or ellipsoid, shared by image and k-space.
#pragma once
#include <array>

#include "findrho/phantom/phantom.hpp"

namespace findrho::detail {

/// The semi-axes as vectors: r = center + sum_e x_e axes[e] with |x| < 1. In 2D axes[2] is 0.
std::array<std::array<double, 3>, 3> scaled_axes(Ellipsoid const& ellipsoid, int dims);

/// Rows of the inverse: x_e = sum_d rows[e][d] (r_d - center_d). In 2D rows[2] is 0.
std::array<std::array<double, 3>, 3> to_unit_ball(Ellipsoid const& ellipsoid, int dims);

/// Errors  bad_shape, when phantom and matrix differ in dimensions; bad_option, for semi-axes that are not
/// positive
void require_phantom(Phantom const& phantom, Matrix const& matrix);

}  // namespace findrho::detail
