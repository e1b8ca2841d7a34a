// SPDX-License-Identifier: BSD-3-Clause
// The exact non-uniform sums F rho and F^H d: slow, and the witness for everything fast.
#pragma once
#include <complex>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

/// samples[c,m] = sum_n image[c,n] exp(-i 2 pi k_m . r_n), summed in double.
/// Shapes  image (coil, z, y, x); samples (coil, sample)
/// Cost    samples x voxels sines, on all threads
template <class T>
void exact_forward(Context const& context, Trajectory const& trajectory, View<std::complex<T> const> image,
                   View<std::complex<T>> samples, Write write = Write::replace);

/// image[c,n] = sum_m samples[c,m] exp(+i 2 pi k_m . r_n), summed in double.
template <class T>
void exact_adjoint(Context const& context, Trajectory const& trajectory, View<std::complex<T> const> samples,
                   View<std::complex<T>> image, Write write = Write::replace);

}  // namespace findrho
