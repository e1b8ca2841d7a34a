// SPDX-License-Identifier: BSD-3-Clause
// Structural similarity of magnitudes, slice by slice.
#pragma once
#include <cstdint>

#include "findrho/core/array.hpp"

namespace findrho {

/// Mean over all windows that lie inside a slice and whose centre counts; NaN when there are none.
///   SSIM = (2 mu_a mu_b + C1)(2 cov + C2) / ((mu_a^2 + mu_b^2 + C1)(var_a + var_b + C2)), C = (K range)^2
/// with a = scale |image|, b = |reference|, and moments under the Gaussian window (weights of sum 1).
double mean_ssim(View<float const> image, View<float const> reference, View<std::uint8_t const> const& mask,
                 double scale, double range);

}  // namespace findrho
