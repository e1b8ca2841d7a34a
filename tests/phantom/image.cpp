// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "findrho/phantom/phantom.hpp"

namespace findrho {
namespace {

using std::numbers::pi;

double value_at(View<std::complex<double> const> image, Matrix const& m, double x, double y, double z = 0) {
  auto const index = [](double r, std::int64_t n) {
    return std::llround(r * static_cast<double>(n)) + n / 2;
  };
  return image[(index(z, m.z) * m.y + index(y, m.y)) * m.x + index(x, m.x)].real();
}

TEST(PhantomImage, SheppLoganStandsUprightInArrayOrder) {
  Context const context = Context::cpu(1);
  Matrix const matrix{256, 256, 1};
  auto const image = phantom_image(context, shepp_logan(2), matrix);
  // Sums of a few densities.
  double const rounding = 1e-14;
  // y runs down: the small ellipses of table y = -0.605 lie at +0.3025 FOV, and nothing but brain lies
  // opposite.
  EXPECT_NEAR(value_at(image, matrix, 0, 0.303), 0.3, rounding);
  EXPECT_NEAR(value_at(image, matrix, -0.04, 0.3025), 0.3, rounding);
  EXPECT_NEAR(value_at(image, matrix, -0.04, -0.35), 0.2, rounding);
  EXPECT_NEAR(value_at(image, matrix, 0, -0.24), 0.3, rounding);  // the large bright ellipse is at the top
  // Ventricles are dark, the larger one on the left, and their tops lean outwards.
  EXPECT_NEAR(value_at(image, matrix, -0.11, 0), 0.0, rounding);
  EXPECT_NEAR(value_at(image, matrix, 0.11, 0), 0.0, rounding);
  EXPECT_NEAR(value_at(image, matrix, -0.16, -0.14), 0.0, rounding);
  EXPECT_NEAR(value_at(image, matrix, -0.16, 0.14), 0.2, rounding);
  EXPECT_NEAR(value_at(image, matrix, 0.15, -0.12), 0.0, rounding);
  EXPECT_NEAR(value_at(image, matrix, 0.15, 0.12), 0.2, rounding);
  EXPECT_NEAR(value_at(image, matrix, -0.08, 0.17), 0.0, rounding);  // reached by the larger one only
  EXPECT_NEAR(value_at(image, matrix, 0.08, 0.17), 0.2, rounding);
  EXPECT_NEAR(value_at(image, matrix, -0.48, 0), 0.0, rounding);
}

TEST(PhantomImage, OriginalContrastIsTheTableOf1974) {
  Context const context = Context::cpu(1);
  Matrix const matrix{128, 128, 1};
  auto const image = phantom_image(context, shepp_logan(2, SheppLoganContrast::original), matrix);
  EXPECT_NEAR(value_at(image, matrix, 0, -0.45), 2.0, 1e-14);
  EXPECT_NEAR(value_at(image, matrix, 0, 0.4), 1.02, 1e-14);
  EXPECT_NEAR(value_at(image, matrix, 0.11, 0), 1.0, 1e-14);
}

TEST(PhantomImage, SumsToTheVolumeOfItsEllipsoids) {
  Context const context = Context::cpu(2);
  for (Matrix const matrix : {Matrix{63, 48, 1}, Matrix{33, 40, 28}}) {
    Phantom const phantom = shepp_logan(matrix.dims());
    auto const image = phantom_image(context, phantom, matrix);
    double sum = 0, expected = 0, bound = 0;
    for (auto const& voxel : image) sum += voxel.real();
    double const lines =
        8.0 * static_cast<double>(matrix.dims() == 3 ? std::min(matrix.y, matrix.z) : matrix.y);
    for (Solid const& e : phantom.solids) {
      double const area = pi * e.semi_axis[0] * e.semi_axis[1];
      double const volume = matrix.dims() == 2 ? area : area * 4 / 3 * e.semi_axis[2];
      expected += e.density * volume * static_cast<double>(matrix.voxels());
      // Chords along x are exact; their sum over lines of spacing h errs by the spectrum of the ellipse at
      // 1/h: at most 2 J_1(q)/q of its volume with q = 2 pi a / h, summed over harmonics n by zeta(3/2)
      // = 2.6, along each of the axes that are sampled.
      double const a = std::min({e.semi_axis[0], e.semi_axis[1], matrix.dims() == 3 ? e.semi_axis[2] : 1.0});
      double const q = 2 * pi * a * lines;
      bound += std::abs(e.density) * volume * static_cast<double>(matrix.voxels()) * 2 * 2.6 * 2 *
               std::sqrt(2 / (pi * q)) / q * (matrix.dims() - 1);
    }
    EXPECT_NEAR(sum, expected, bound);
    EXPECT_LT(bound, 0.015 * expected);
  }
}

TEST(PhantomImage, CentredBallIsSymmetric) {
  Context const context = Context::cpu(2);
  Matrix const matrix{15, 15, 15};
  auto const image = phantom_image(context, {3, {{.density = 2, .semi_axis = {0.4, 0.4, 0.4}}}}, matrix);
  std::int64_t const last = matrix.voxels() - 1;
  // Turning by half a turn only reorders the sums of 64 lines.
  for (std::int64_t n = 0; n <= last; ++n) EXPECT_NEAR(image[n].real(), image[last - n].real(), 1e-13);
  EXPECT_NEAR(image[last / 2].real(), 2, 1e-14);
  EXPECT_EQ(image[0].real(), 0);
}

TEST(PhantomImage, MeanInsideCountsTheDarkPartsToo) {
  Context const context = Context::cpu(1);
  Matrix const matrix{64, 64, 1};
  // A disc of height 1 with a hole of half its radius: 3/4 of its area is bright.
  Phantom const ring{
      2, {{.density = 1, .semi_axis = {0.4, 0.4, 0}}, {.density = -1, .semi_axis = {0.2, 0.2, 0}}}};
  auto const image = phantom_image(context, ring, matrix);
  // Voxel centres count a disc of radius R = 25.6 to about 2 sqrt(R) of its pi R^2 = 2059 (Gauss's circle
  // problem).
  EXPECT_NEAR(mean_inside(ring, image, matrix), 0.75, 2 * std::sqrt(25.6) / 2059 * 2);
}

}  // namespace
}  // namespace findrho
