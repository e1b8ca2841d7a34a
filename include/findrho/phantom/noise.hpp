// SPDX-License-Identifier: BSD-3-Clause
// Seeded complex Gaussian noise, the same for every thread count and standard library.
#pragma once
#include <complex>
#include <cstdint>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

/// Standard deviation per real component of a k-space sample for an SNR as in docs/conventions.md:
///   SNR = mean |rho| inside the object / std per real component in the fully sampled image.
/// That image is (1 / prod N) F^H d of the prod N Cartesian samples; its noise is sigma / sqrt(prod N):
///   sigma = mean_inside sqrt(prod N) / SNR.
/// Errors  bad_option
double sample_noise_sigma(double mean_inside, double snr, Matrix const& matrix);

/// Adds independent Gaussian noise of standard deviation sigma to each real component. Element i depends on
/// (seed, stream, i) alone: SplitMix64 as a counter, then Box-Muller. Streams of one seed are independent.
/// Errors  bad_option
void add_noise(Context const& context, View<std::complex<double>> samples, double sigma, std::uint64_t seed,
               std::uint64_t stream = 0);

}  // namespace findrho
