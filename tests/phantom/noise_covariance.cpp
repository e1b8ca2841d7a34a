// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "findrho/phantom/noise.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

using testing::Complex;
using testing::refusal;

Context const context = Context::cpu(2);

TEST(NoiseCovariance, IsWhatTheNoiseHas) {
  std::vector<Complex> const psi{{1.2, 0}, {0.3, 0.4}, {0, -0.2}, {0.3, -0.4}, {0.9, 0},
                                 {0.1, 0}, {0, 0.2},   {0.1, 0},  {0.9, 0}};
  NoiseCovariance const covariance = make_noise_covariance(3, psi);
  constexpr std::int64_t kSamples = 100000;
  Array<Complex> noise(sample_shape(3, kSamples));
  add_noise(context, noise, 2, covariance, 5);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      Complex sum = 0;
      for (std::int64_t m = 0; m < kSamples; ++m)
        sum += noise[i * kSamples + m] * std::conj(noise[j * kSamples + m]);
      auto const at = [&](std::int64_t a, std::int64_t b) {
        return covariance.values[static_cast<std::size_t>(3 * a + b)];
      };
      // 2 sigma^2 Psi; the mean of n products deviates by sqrt(Psi_ii Psi_jj / n). Five of these, seeded.
      double const spread = 8 * std::sqrt(at(i, i).real() * at(j, j).real() / kSamples);
      EXPECT_LE(std::abs(sum / static_cast<double>(kSamples) - 8.0 * at(i, j)), 5 * spread) << i << j;
    }
  }
}

TEST(NoiseCovariance, OfLoopsFallsWithTheAngleBetweenThem) {
  NoiseCovariance const psi = loop_noise_covariance(make_coil_array(2, 8, CoilModel::loops));
  double mean = 0;
  for (std::size_t i = 0; i < 8; ++i) mean += psi.values[9 * i].real() / 8;
  EXPECT_NEAR(mean, 1, 1e-12);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      // A quarter turn takes the lattice of the ball and the ring of loops to themselves.
      EXPECT_NEAR(psi.values[8 * i + j].real(), psi.values[8 * ((i + 2) % 8) + (j + 2) % 8].real(), 1e-9);
    }
  }
  // From the neighbour to the opposite loop, whose field runs the other way through the ball.
  for (std::size_t j = 1; j < 4; ++j) EXPECT_GT(psi.values[j].real(), psi.values[j + 1].real());
  EXPECT_GT(psi.values[1].real(), 0);
  EXPECT_LT(psi.values[4].real(), 0);
}

TEST(NoiseCovariance, IsReadFromText) {
  test::TempFolder const folder;
  auto const path = folder / "psi.txt";
  auto const with = [&](std::string const& text) {
    std::ofstream(path) << text;
    return refusal([&] { read_noise_covariance(path, 2); });
  };
  EXPECT_EQ(with("# two coils\n3 0.5+0.25i\n0.5-0.25i 1\n"), "");
  auto const psi = read_noise_covariance(path, 2);
  EXPECT_NEAR(std::abs(psi.values[1] - Complex(0.25, 0.125)), 0, 1e-15);  // the mean diagonal of 2 becomes 1
  EXPECT_EQ(with("1 0\n0\n"), path + ", line 2: 1 numbers for 2 coils");
  EXPECT_EQ(with("1 0+2\n0 1\n"), path + ", line 1: '0+2' is not a complex number");
  EXPECT_EQ(with("1 0\n"), path + " has 1 lines of numbers for 2 coils");
  EXPECT_EQ(with("1 0.5\n0.2 1\n"), "the noise covariance is not Hermitian");
  EXPECT_EQ(with("1 2\n2 1\n"), "the noise covariance is not positive definite");
  EXPECT_EQ(refusal([] { loop_noise_covariance(make_coil_array(2, 1, CoilModel::polynomial)); }),
            "one uniform coil has no loop whose noise could be coupled");
}

TEST(CoilArrays, LoopsHaveTheirFieldOnTheAxis) {
  CoilArray const coils = make_coil_array(3, 6, CoilModel::loops);
  std::vector<std::array<double, 3>> points;
  for (int i = 0; i < 10; ++i) points.push_back({0.05 * i, 0, 0});
  auto const values = sensitivities_at(context, coils, points);
  double const radius = coils.loops[0].radius;
  auto const field = [&](double x) { return std::pow(radius * radius + (0.9 - x) * (0.9 - x), -1.5); };
  // Chords of equal length on a circle give the field on its axis exactly.
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(std::abs(values[i]) / std::abs(values[0]), field(0.05 * static_cast<double>(i)) / field(0),
                1e-12);
  }
  double sum_sq = 0;
  for (std::int64_t c = 0; c < 6; ++c) sum_sq += std::norm(values[c * 10]);
  EXPECT_NEAR(sum_sq, 1, 1e-12);
}

TEST(CoilArrays, PolynomialsAreTheMapsTheyAreFittedAs) {
  CoilArray const coils = make_coil_array(2, 5, CoilModel::polynomial);
  Matrix const matrix{6, 5, 1};
  auto const maps = coil_maps(matrix, coils.polynomial);
  std::vector<std::array<double, 3>> points;
  for (int n = 0; n < 30; ++n) points.push_back({(n % 6 - 3) / 6.0, (n / 6 - 2) / 5.0, 0});
  auto const values = sensitivities_at(context, coils, points);
  for (std::int64_t i = 0; i < values.size(); ++i) EXPECT_NEAR(std::abs(values[i] - maps[i]), 0, 1e-12);
}

TEST(CoilArrays, TellHowWellPolynomialsFit) {
  double last = 0;
  for (std::int64_t const coils : {4, 8, 16}) {
    double const error = polynomial_fit_error(context, make_coil_array(3, coils, CoilModel::polynomial));
    EXPECT_GT(error, last);  // smaller loops have steeper fields
    last = error;
  }
  EXPECT_EQ(polynomial_fit_error(context, make_coil_array(2, 1, CoilModel::polynomial)), 0);
}

}  // namespace
}  // namespace findrho
