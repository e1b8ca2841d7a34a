// SPDX-License-Identifier: BSD-3-Clause
// F^H d and Q as exact sums for a reconstruction: by the ladder's vectorised rung, in the precision of the images.
#pragma once
#include <complex>
#include <span>

#include "findrho/dft/ladder.hpp"

namespace findrho {

/// What the rung runs with unless tune found better. Results do not depend on block and vectors in flight.
inline constexpr RungOptions kVectorRung{.block_size = 1024, .chunk = 512, .per_thread = 4};

/// images[c,n] = sum_m samples[c,m] exp(+i 2 pi k_m . r_n), rounded as T rounds (docs/design/ladder.md).
/// Shapes  samples (coil, sample); images (coil, z, y, x)
/// Errors  bad_shape, cancelled
template <class T>
void vector_adjoint(Context const& context, Trajectory const& trajectory, View<std::complex<T> const> samples,
                    View<std::complex<T>> images, RungOptions const& options = kVectorRung);

/// Q(x) = sum_m w_m exp(+i 2 pi k_m . x) at all lags of the doubled grid, as unfold_q has them.
/// Shapes  weights one per sample, or empty: 1
/// Errors  bad_shape, cancelled
template <class T>
Array<std::complex<T>> vector_q(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                                std::span<double const> weights, RungOptions const& options = kVectorRung);

}  // namespace findrho
