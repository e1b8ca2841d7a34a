// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

using Complex = std::complex<double>;

Array<Complex> noise(std::int64_t n, double sigma, std::uint64_t seed, std::uint64_t stream = 0,
                     int threads = 1) {
  Array<Complex> samples(sample_shape(1, n));
  add_noise(Context::cpu(threads), samples, sigma, seed, stream);
  return samples;
}

TEST(Noise, IsGaussianWithTheGivenDeviation) {
  std::int64_t const n = 200000;
  auto const samples = noise(n, 3, 42);
  double mean[2] = {}, square[2] = {}, product = 0, fourth = 0, neighbours = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    double const re = samples[i].real() / 3, im = samples[i].imag() / 3;
    mean[0] += re, mean[1] += im, square[0] += re * re, square[1] += im * im, product += re * im;
    fourth += re * re * re * re;
    if (i > 0) neighbours += re * samples[i - 1].real() / 3;
  }
  double const count = static_cast<double>(n), five_sigma = 5 / std::sqrt(count);  // seeded: cannot fluctuate
  for (int part = 0; part < 2; ++part) {
    EXPECT_NEAR(mean[part] / count, 0, five_sigma);
    EXPECT_NEAR(square[part] / count, 1, std::sqrt(2) * five_sigma);  // variance of x^2 is 2
  }
  EXPECT_NEAR(product / count, 0, five_sigma);
  EXPECT_NEAR(neighbours / count, 0, five_sigma);
  EXPECT_NEAR(fourth / count, 3, std::sqrt(96) * five_sigma);  // variance of x^4 is 105 - 9
}

TEST(Noise, DependsOnSeedAndStreamButNotOnThreads) {
  auto const a = noise(40000, 1, 7), b = noise(40000, 1, 7, 0, 3), c = noise(40000, 1, 8),
             d = noise(40000, 1, 7, 1);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
  EXPECT_NE(a[0], c[0]);
  EXPECT_NE(a[0], d[0]);
  Complex correlation = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) correlation += a[i] * std::conj(d[i]);
  EXPECT_LE(std::abs(correlation) / 40000, 5 * 2 / std::sqrt(40000.0));  // |a conj d|^2 has the mean 4
}

TEST(Noise, GivesTheStatedSnrInTheFullySampledImage) {
  // (1 / prod N) F^H of Cartesian noise, by the plain sum; SNR 20 of a mean signal 0.3 is a deviation of
  // 0.015.
  Matrix const matrix{24, 20, 1};
  double const sigma = sample_noise_sigma(0.3, 20, matrix);
  auto const samples = noise(matrix.voxels(), sigma, 3);
  double square = 0;
  for (std::int64_t n = 0; n < matrix.voxels(); ++n) {
    Complex value = 0;
    for (std::int64_t m = 0; m < matrix.voxels(); ++m) {
      double const turns =
          static_cast<double>((m % 24) * (n % 24)) / 24 + static_cast<double>((m / 24) * (n / 24)) / 20;
      value += samples[m] * std::polar(1.0, 2 * std::numbers::pi * turns);
    }
    square += std::norm(value / 480.0);
  }
  // 960 independent real components: the deviation is known to 1/sqrt(2 960) = 2.3 %; 4 of these.
  EXPECT_NEAR(std::sqrt(square / 960), 0.015, 0.015 * 4 / std::sqrt(2.0 * 960));
}

TEST(Noise, RefusesWhatCannotBe) {
  EXPECT_THROW(sample_noise_sigma(1, 0, {8, 8, 1}), Error);
  EXPECT_THROW(sample_noise_sigma(1, -3, {8, 8, 1}), Error);
  EXPECT_THROW(noise(4, -1, 1), Error);
  EXPECT_THROW(noise(4, std::numeric_limits<double>::quiet_NaN(), 1), Error);
}

}  // namespace
}  // namespace findrho
