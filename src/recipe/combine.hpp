// SPDX-License-Identifier: BSD-3-Clause
// Coil images to one image.
#pragma once
#include <complex>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"

namespace findrho {

/// image = sqrt(sum_c |I_c|^2); a single coil keeps its phase.
/// Shapes  coil_images (coil, z, y, x); image (z, y, x)
template <class T>
void root_sum_of_squares(Context const& context, View<std::complex<T> const> coil_images,
                         View<std::complex<float>> image);

/// image = sum_c conj(S_c) I_c / sum_c |S_c|^2, and 0 where all maps are 0: the best combination for white noise.
/// Shapes  coil_images and maps S (coil, z, y, x); image (z, y, x)
/// Source  Roemer et al., MRM 16:192 (1990)
template <class T>
void matched_combination(Context const& context, View<std::complex<T> const> coil_images,
                         View<std::complex<T> const> maps, View<std::complex<float>> image);

}  // namespace findrho
