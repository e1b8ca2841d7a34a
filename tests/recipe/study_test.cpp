// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

Context const context = Context::cpu(2);

StudyOptions study_of(std::vector<std::string> const& trajectories, std::vector<Method> methods) {
  StudyOptions o;
  o.scan.matrix = {64, 64, 1};
  for (std::string const& text : trajectories) o.trajectories.push_back({text, parse_trajectory(text)});
  o.methods = std::move(methods);
  o.snrs = {20};
  return o;
}

// The object has some 2000 voxels of 64 x 64, each with two real components: a root mean square over 2 x 2000 normal
// numbers has a relative standard deviation of 1/sqrt(2 x 4000) = 1.1 %. Neighbours are correlated where k-space is a
// disc (noise bandwidth pi/4), 1.3 %. Five standard deviations.
constexpr double kNoiseTolerance = 0.065;

TEST(Study, CombinesTrajectoriesMethodsSnrsAndMotionsInThisOrder) {
  StudyOptions o = study_of({"cartesian", "spiral"}, {Method::gridding, Method::cg});
  o.snrs = {0, 20};
  o.motions.push_back({"step", parse_motion("step:shift_x=10")});
  auto const rows = run_study(context, o);
  ASSERT_EQ(rows.size(), 16U);
  EXPECT_EQ(rows[0].trajectory, "cartesian");
  EXPECT_EQ(rows[0].method, Method::ifft) << "a Cartesian scan is not gridded";
  EXPECT_TRUE(std::isnan(rows[0].noise_gain)) << "there is no noise";
  EXPECT_EQ(rows[1].motion, "step");
  EXPECT_EQ(rows[2].snr, 20);
  EXPECT_EQ(rows[4].method, Method::cg);
  EXPECT_EQ(rows[8].trajectory, "spiral");
  EXPECT_EQ(rows[8].method, Method::gridding);
  EXPECT_LT(rows[1].psnr_db, rows[0].psnr_db - 3) << "10 mm are 3 voxels: the moved half doubles every edge";
}

TEST(Study, NoiseGainOfACartesianScanIsOne) {
  auto const rows = run_study(context, study_of({"cartesian"}, {Method::gridding}));
  EXPECT_NEAR(rows.at(0).noise_gain, 1, kNoiseTolerance);
}

TEST(Study, AdjointOfACartesianScanIsItsInverseFftButForTheFittedScale) {
  auto const rows = run_study(context, study_of({"cartesian"}, {Method::gridding, Method::adjoint}));
  StudyRow const &ifft = rows.at(0), &adjoint = rows.at(1);
  double aa = 0, ab = 0, bb = 0;
  for (std::int64_t n = 0; n < ifft.image.size(); ++n) {
    double const a = ifft.image[n], b = adjoint.image[n];
    aa += a * a, ab += a * b, bb += b * b;
  }
  // Parallel to the accuracy of the NUFFT, 1e-3: the sine of the angle between them.
  EXPECT_LE(std::sqrt(1 - ab * ab / (aa * bb)), 1e-3);
  EXPECT_GE(adjoint.psnr_db, ifft.psnr_db) << "a fitted scale leaves the least error";
  EXPECT_NEAR(adjoint.noise_gain / ifft.noise_gain, ab / aa, 1e-3) << "noise is in the image's units";
}

TEST(Study, NoiseGainOfSpokesIsThatOfTheirUnevenDensity) {
  // Weights w ~ |k| over a disc that holds pi/4 of k-space, density ~ 1/|k|: sum w^2 M / (sum w)^2 = 4/3.
  auto const rows = run_study(context, study_of({"radial"}, {Method::gridding}));
  EXPECT_NEAR(rows.at(0).noise_gain, std::numbers::pi / 4 * std::sqrt(4.0 / 3.0), kNoiseTolerance);
}

TEST(Study, NoiseGainDoesNotDependOnTheNumberOfCoils) {
  // Full sampling and the best combination: g = 1.
  StudyOptions o = study_of({"cartesian"}, {Method::cg});
  o.scan.coils = 4;
  o.recon.lambda = 0;
  EXPECT_NEAR(run_study(context, o).at(0).noise_gain, 1, kNoiseTolerance);
}

TEST(Study, PointSpreadOfASquareIsASincAndOfADiscAJinc) {
  // Half maxima of sin(pi r)/(pi r) and 2 J1(pi r)/(pi r). The square's samples reach from -32 to 31 and are Riemann sums
  // of the integral: relative differences of 1/N and less.
  auto const rows = run_study(context, study_of({"cartesian", "radial"}, {Method::gridding}));
  EXPECT_NEAR(rows.at(0).psf_width, 1.207, 0.02);
  EXPECT_NEAR(rows.at(1).psf_width, 1.410, 0.03);
}

TEST(Study, RefusesToCompareNothing) {
  EXPECT_THROW(run_study(context, study_of({}, {Method::cg})), Error);
  EXPECT_THROW(run_study(context, study_of({"spiral"}, {})), Error);
}

}  // namespace
}  // namespace findrho
