// SPDX-License-Identifier: BSD-3-Clause
// Seeded complex Gaussian noise, the same for every thread count and standard library.
#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/phantom/coils.hpp"

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

/// Psi_ij = <n_i conj(n_j)> of the coils' noise, row by row, scaled so that its mean diagonal is 1.
struct NoiseCovariance {
  std::int64_t coils = 0;
  std::vector<std::complex<double>> values;
};

/// Errors  bad_option (not Hermitian, not positive definite)
NoiseCovariance make_noise_covariance(std::int64_t coils, std::vector<std::complex<double>> const& values);

/// The covariance that loops around a conducting ball of radius 0.45 FOV have: sum over the ball of A_i . A_j, since the
/// noise power that coils share is that of the electric fields they drive there, quasi-static and without the charges on the
/// ball's surface; plus a tenth of the mean diagonal for the coils' own resistance.
/// Errors  bad_option (no loops)
/// Source  Roemer et al., MRM 16:192 (1990), doi:10.1002/mrm.1910160203, equation 8
NoiseCovariance loop_noise_covariance(CoilArray const& coils);

/// A text file: one line per coil, its numbers as 0.5, 0.5+0.1i or 0.5-0.1i. `#` begins a comment.
/// Errors  bad_file, with the line; bad_option
NoiseCovariance read_noise_covariance(std::string const& path, std::int64_t coils);

/// Adds noise whose covariance is 2 sigma^2 Psi: independent noise of deviation sigma, mixed by L with Psi = L L^H.
/// Shapes  samples (coil, sample)
/// Errors  bad_shape, bad_option
void add_noise(Context const& context, View<std::complex<double>> samples, double sigma,
               NoiseCovariance const& covariance, std::uint64_t seed, std::uint64_t stream = 0);

}  // namespace findrho
