// SPDX-License-Identifier: BSD-3-Clause
// Geometry of one solid, shared by image and k-space.
#pragma once
#include <array>

#include "findrho/phantom/phantom.hpp"

namespace findrho::detail {

/// The semi-axes as vectors: r = center + sum_e x_e axes[e] with x in the unit ball, cube or cylinder. In 2D axes[2] is 0.
std::array<std::array<double, 3>, 3> scaled_axes(Solid const& solid, int dims);

/// Rows of the inverse: x_e = sum_d rows[e][d] (r_d - center_d). In 2D rows[2] is 0.
std::array<std::array<double, 3>, 3> to_unit_solid(Solid const& solid, int dims);

/// Whether x lies in the unit ball, cube or cylinder.
bool inside_unit_solid(SolidShape shape, std::array<double, 3> const& x);

/// Errors  bad_shape, when phantom and matrix differ in dimensions; bad_option, for semi-axes that are not
/// positive or a bad decay
void require_phantom(Phantom const& phantom, Matrix const& matrix);

}  // namespace findrho::detail
