// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/psf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "findrho/core/error.hpp"
#include "findrho/trajectory/generate.hpp"

namespace findrho {
namespace {

Context const context = Context::cpu(2);

PsfFacts psf(std::string const& word, Matrix const& matrix, DensityKind kind = DensityKind::automatic) {
  Trajectory const t = make_trajectory(matrix, parse_trajectory(word));
  return psf_of(context, t, matrix, density_of(context, t, matrix, kind));
}

/// sin(pi x) / (N sin(pi x/N)): N samples one cycle per FOV apart; x in voxels.
double dirichlet(double x, double n) {
  return std::sin(std::numbers::pi * x) / (n * std::sin(std::numbers::pi * x / n));
}

TEST(Psf, CartesianHasTheWidthAndSideLobesOfTheDirichletKernel) {
  for (std::int64_t const n : {32, 64}) {
    auto const f = psf("cartesian", {n, n, 1});
    double low = 0.5, high = 1;  // half maximum, by bisection
    for (int i = 0; i < 60; ++i) {
      double const middle = 0.5 * (low + high);
      (dirichlet(middle, double(n)) > 0.5 ? low : high) = middle;
    }
    // Secants end below 1e-9 in value, or after five with an error beyond 1e-9 in place.
    EXPECT_NEAR(f.fwhm_voxels[0], 2 * low, 1e-6);
    EXPECT_NEAR(f.fwhm_voxels[1], 2 * low, 1e-6);
    EXPECT_EQ(f.fwhm_voxels[2], 0);
    EXPECT_NEAR(f.main_lobe_voxels[0], 1, 1.0 / 32);  // the line's step
    double highest = 0;
    for (double x = 1.2; x < 1.8; x += 1e-4) highest = std::max(highest, -dirichlet(x, double(n)));
    // Three rounds of parabolas, steps 1/4 to 1/25 of a voxel, leave the top by less than 1/100: a curvature of pi^2 0.22
    // makes that 1e-4.
    EXPECT_NEAR(f.side_lobe, highest, 1e-4);
    EXPECT_NEAR(f.side_lobe_dB, 20 * std::log10(highest), 0.005);
  }
}

TEST(Psf, ADiscHasTheWidthAndSideLobesOfTheAiryPattern) {
  // 2 J1(pi x) / (pi x) has its half maximum at x = 0.70505, its first zero at 1.2197 and -0.13228 at 1.6347.
  for (char const* word : {"radial:readout-oversampling=2", "spiral_vd:shots=16"}) {
    auto const f = psf(word, {128, 128, 1});
    // The sampled disc ends half a sample beyond or before N/2 = 64: widths are off by 1/128 at most.
    EXPECT_NEAR(f.fwhm_voxels[0] / (2 * 0.70505), 1, 1.0 / 128) << word;
    EXPECT_NEAR(f.main_lobe_voxels[0] / 1.2197, 1, 1.0 / 128 + 1.0 / 32 / 1.2197) << word;
    // Weights at the centre and the edge are those of rings of finite width: a part in N.
    EXPECT_NEAR(f.side_lobe, 0.13228, 2.0 / 128) << word;
  }
}

TEST(Psf, UndersampledLinesAliasAtTheirDistance) {
  auto const f = psf("cartesian:undersampling=2", {32, 32, 1});
  EXPECT_NEAR(f.side_lobe, 1, 1e-6);  // sums of equal numbers, rounded
  EXPECT_NEAR(std::abs(f.side_lobe_at[1]), 16, 1e-3);
  EXPECT_NEAR(f.side_lobe_at[0], 0, 1e-3);
}

TEST(Psf, ABallIsNarrowerInNoDirectionThanInAnother) {
  auto const f = psf("radial_3d", {24, 24, 24});
  // 3 (sin u - u cos u) / u^3, u = pi x, has its half maximum at x = 0.79525; the ball ends half a sample beyond or before.
  for (int d = 0; d < 3; ++d)
    EXPECT_NEAR(f.fwhm_voxels[static_cast<std::size_t>(d)] / (2 * 0.79525), 1, 1.0 / 24);
}

TEST(Psf, TheImageIsTheExactSumOnHalfVoxels) {
  Matrix const matrix{16, 12, 1};
  Trajectory const t = make_trajectory(matrix, parse_trajectory("radial:shots=20"));
  auto const f = psf_of(context, t, matrix, {});
  for (std::int64_t y = 0; y < 24; y += 5) {
    for (std::int64_t x = 0; x < 32; x += 3) {
      std::complex<double> sum;
      for (std::size_t m = 0; m < t.kx.size(); ++m) {
        sum += std::polar(
            1.0, 2 * std::numbers::pi * (t.kx[m] * double(x - 16) / 32 + t.ky[m] * double(y - 12) / 24));
      }
      EXPECT_NEAR(f.image[y * 32 + x], std::abs(sum) / double(t.size()), 1e-4);  // the NUFFT's accuracy
    }
  }
}

TEST(Psf, RefusesWeightsThatDoNotFit) {
  Matrix const matrix{16, 16, 1};
  Trajectory const t = make_trajectory(matrix, parse_trajectory("cartesian"));
  auto const message = [&](std::vector<double> const& w) {
    try {
      psf_of(context, t, matrix, w);
    } catch (Error const& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({1, 2, 3}), "3 density weights do not fit 256 samples");
  EXPECT_EQ(message(std::vector<double>(256, 0.0)), "the density weights of 256 samples add up to 0");
}

}  // namespace
}  // namespace findrho
