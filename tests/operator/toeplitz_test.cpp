// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/operator/toeplitz.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "conformance/random.hpp"
#include "findrho/core/error.hpp"
#include "support/use_target.hpp"

namespace findrho {
namespace {

using laws::random_array;
using laws::random_trajectory;
using laws::random_weights;
using laws::relative_error;

constexpr std::int64_t kSamples = 300;

// | Toeplitz product - adjoint(w forward) by exact sums | / | the latter |
template <class T>
double error_against_exact_sums(Matrix const& matrix, std::int64_t coils, EncodingOptions const& options) {
  using C = std::complex<T>;
  Context const context = Context::cpu(2);
  Trajectory const trajectory = random_trajectory(matrix, kSamples, 1);
  std::vector<double> const weights = random_weights(kSamples, 2);
  Array<C> const S = random_array<T>(matrix.shape(coils), 3), x = random_array<T>(matrix.shape(), 4);
  Array<std::complex<double>> const S64 = convert<std::complex<double>>(S.view()),
                                    x64 = convert<std::complex<double>>(x.view());
  Encoding<double> const F(context, trajectory, matrix, S64, {.transform = TransformKind::exact});
  Array<std::complex<double>> expected(matrix.shape());
  WeightedNormal<double>(F, weights).forward(context, x64, expected);

  auto const kernel =
      std::make_shared<ToeplitzKernel<T> const>(context, trajectory, matrix, weights, options);
  Array<C> z(matrix.shape());
  ToeplitzNormal<T>(kernel, S).forward(context, x, z);
  return relative_error(z, expected);
}

Matrix const kMatrices[] = {{16, 16, 1}, {15, 22, 1}, {33, 7, 1}, {1, 5, 1},
                            {40, 30, 1}, {8, 8, 8},   {9, 18, 5}, {16, 10, 12}};

TEST(Toeplitz, OfExactSumsAgreesWithExactSums) {
  // Transforms of at most 2^17 points both ways: eps/2 per level (17), twice, and the rounding of Q itself.
  constexpr double kFloat = 32 * std::numeric_limits<float>::epsilon();
  constexpr double kDouble = 32 * std::numeric_limits<double>::epsilon();
  for (Matrix const& matrix : kMatrices) {
    SCOPED_TRACE(matrix.shape().str());
    for (std::int64_t const coils : {1, 3}) {
      EXPECT_LE(error_against_exact_sums<float>(matrix, coils, {.transform = TransformKind::exact}), kFloat);
      EXPECT_LE(error_against_exact_sums<double>(matrix, coils, {.transform = TransformKind::exact}),
                kDouble);
    }
  }
}

TEST(Toeplitz, AgreesWithExactSumsUnderEachInstructionSet) {
  int const tested = test::under_each_target([](char const* target) {
    SCOPED_TRACE(target);
    for (Matrix const& matrix : {Matrix{15, 22, 1}, Matrix{9, 18, 5}}) {
      EXPECT_LE(error_against_exact_sums<float>(matrix, 3, {.nufft = {.accuracy = 1e-3}}), 1e-3);
      EXPECT_LE(error_against_exact_sums<double>(matrix, 3, {.nufft = {.accuracy = 1e-6}}), 1e-6);
    }
  });
  EXPECT_GE(tested, 1);
}

TEST(Toeplitz, IsWithinTheAskedAccuracyOfExactSums) {
  for (Matrix const& matrix : kMatrices) {
    SCOPED_TRACE(matrix.shape().str());
    EXPECT_LE(error_against_exact_sums<float>(matrix, 2, {.nufft = {.accuracy = 1e-3}}), 1e-3);
    EXPECT_LE(error_against_exact_sums<double>(matrix, 2, {.nufft = {.accuracy = 1e-6}}), 1e-6);
  }
}

TEST(Toeplitz, SpectrumIsThatOfADirectSumOverTheLags) {
  // One sample with weight 3 at k: Q(n) = 3 exp(i 2 pi k n / N), lags -(N-1)..N-1. The product with a delta at voxel 0
  // shows Q at lags 0..N-1.
  Context const context = Context::cpu(1);
  Matrix const matrix{10, 6, 1};
  Trajectory trajectory;
  trajectory.kx = {1.7};
  trajectory.ky = {-2.3};
  double const weight = 3;
  auto const kernel = std::make_shared<ToeplitzKernel<double> const>(
      context, trajectory, matrix, std::span(&weight, 1), EncodingOptions{.transform = TransformKind::exact});
  Array<std::complex<double>> delta(matrix.shape()), z(matrix.shape());
  delta[0] = 1;
  ToeplitzNormal<double>(kernel).forward(context, delta, z);
  for (std::int64_t y = 0; y < 6; ++y) {
    for (std::int64_t x = 0; x < 10; ++x) {
      double const turns = 1.7 * static_cast<double>(x) / 10 - 2.3 * static_cast<double>(y) / 6;
      std::complex<double> const expected = std::polar(3.0, 2 * std::acos(-1.0) * turns);
      EXPECT_LE(std::abs(z[y * 10 + x] - expected), 3 * 32 * std::numeric_limits<double>::epsilon())
          << x << ", " << y;
    }
  }
}

TEST(Toeplitz, WorkIsWhatItSays) {
  // 128^3, one coil of 256 x 128 x 128 complex numbers: 32 MiB; blocks of coils stay within what was given.
  constexpr std::int64_t kMiB = 1 << 20;
  std::int64_t const one = toeplitz_work_bytes<float>({128, 128, 128}, 1, 2, 256 * kMiB);
  EXPECT_GE(one, 32 * kMiB);
  EXPECT_LE(one, 34 * kMiB);
  EXPECT_LE(toeplitz_work_bytes<float>({128, 128, 128}, 32, 2, 256 * kMiB), 257 * kMiB);
  EXPECT_EQ(toeplitz_spectrum_size<float>({128, 128, 128}) * 4, 64 * kMiB);
}

TEST(Toeplitz, RefusesMapsAndWeightsThatDoNotFit) {
  Context const context = Context::cpu(1);
  Matrix const matrix{8, 8, 1};
  Trajectory const trajectory = random_trajectory(matrix, 20, 1);
  std::vector<double> const weights(19, 1.0);
  EXPECT_THROW(ToeplitzKernel<float>(context, trajectory, matrix, weights), Error);
  auto const kernel = std::make_shared<ToeplitzKernel<float> const>(context, trajectory, matrix);
  Array<std::complex<float>> const maps(Matrix{8, 9, 1}.shape(2));
  EXPECT_THROW(ToeplitzNormal<float>(kernel, maps), Error);
}

}  // namespace
}  // namespace findrho
