// SPDX-License-Identifier: BSD-3-Clause
// F^H d, F rho and Q as exact sums for a reconstruction: by the fastest rung that is accurate enough, in the precision of
// the images, on the CPU or a device.
#pragma once
#include <complex>
#include <optional>
#include <span>
#include <string>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/dft/ladder.hpp"

namespace findrho {

/// Where sums are taken, and how near to the sum in double they have to come.
struct FastSums {
  double accuracy = 1e-5;                // relative l2 distance; float ends near 1e-6
  std::optional<CudaSession> cuda = {};  // the device; nothing: the CPU
};

/// The rung for such a sum in T; for sums on a grid, such as a reconstruction's; and for people: "separable_vector on the CPU".
template <class T>
Rung rung_for(FastSums const& sums, ExactSum<T> const& sum);
template <class T>
Rung grid_rung(FastSums const& sums);
template <class T>
std::string description(FastSums const& sums);

/// The sum by rung_for().
/// Errors  out_of_memory, device_fault, cancelled
template <class T>
SumResult<T> fast_sum(Context const& context, FastSums const& sums, ExactSum<T> const& sum);

/// images[c,n] = sum_m samples[c,m] exp(+i 2 pi k_m . r_n). Phases are made once for all coils.
/// Shapes  samples (coil, sample); images (coil, z, y, x)
/// Errors  bad_shape; those of fast_sum
template <class T>
void fast_adjoint(Context const& context, FastSums const& sums, Trajectory const& trajectory,
                  View<std::complex<T> const> samples, View<std::complex<T>> images);

/// samples[c,m] = sum_n images[c,n] exp(-i 2 pi k_m . r_n), likewise.
template <class T>
void fast_forward(Context const& context, FastSums const& sums, Trajectory const& trajectory,
                  View<std::complex<T> const> images, View<std::complex<T>> samples);

/// Q(x) = sum_m w_m exp(+i 2 pi k_m . x) at all lags of the doubled grid, as unfold_q has them.
/// Shapes  weights one per sample, or empty: 1
/// Errors  bad_shape; those of fast_sum
template <class T>
Array<std::complex<T>> fast_q(Context const& context, FastSums const& sums, Trajectory const& trajectory,
                              Matrix const& matrix, std::span<double const> weights);

/// Memory that a sum between so many samples and points of a grid takes at its peak, beside its operands: of the process,
/// and of the device that it runs on.
struct SumBytes {
  std::int64_t host = 0, device = 0;
};
template <class T>
SumBytes fast_sum_bytes(FastSums const& sums, Matrix const& grid, std::int64_t samples, std::int64_t coils);

}  // namespace findrho
