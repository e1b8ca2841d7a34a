// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/coils.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

TEST(Coils, RootSumOfSquaresIsOneAtTheCentre) {
  for (Matrix const matrix : {Matrix{16, 16, 1}, Matrix{9, 8, 7}}) {
    for (std::int64_t const coils : {1, 4, 12}) {
      auto const maps = coil_maps(matrix, coils);
      EXPECT_EQ(maps.shape(), matrix.shape(coils));
      std::int64_t const centre = ((matrix.z / 2) * matrix.y + matrix.y / 2) * matrix.x + matrix.x / 2;
      double sum_sq = 0;
      for (std::int64_t c = 0; c < coils; ++c) sum_sq += std::norm(maps[c * matrix.voxels() + centre]);
      EXPECT_NEAR(sum_sq, 1, 1e-14);
    }
  }
}

TEST(Coils, OneCoilSeesEveryPlaceAlike) {
  for (auto const& value : coil_maps({8, 8, 1}, 1)) EXPECT_EQ(value, 1.0);
}

TEST(Coils, FollowTheFieldOnTheAxisOfTheirLoop) {
  for (int const dims : {2, 3}) {
    CoilSet const set = make_coils(dims, 6);
    Matrix const line{41, 2, dims == 3 ? 2 : 1};  // odd along x; y = z = 0 is index 1
    auto const maps = coil_maps(line, set);
    std::int64_t const row = (dims == 3 ? 3 : 1) * line.x;
    double const radius = 0.9 * std::numbers::pi / 6;  // six touching loops at 0.9 FOV
    // Loop 0 faces the centre from +x: B = R^2 / (R^2 + z^2)^1.5 at a distance z on its axis.
    auto const field = [&](double x) { return std::pow(radius * radius + (0.9 - x) * (0.9 - x), -1.5); };
    for (std::int64_t n = 0; n < line.x; ++n) {
      double const x = static_cast<double>(n - 20) / 41;
      double const ratio = std::abs(maps[row + n]) / std::abs(maps[row + 20]);
      // The fit leaves 0.6 % (3D) to 2.7 % (2D) rms for 8 coils and less for fewer; at most 2 % of the largest value.
      EXPECT_NEAR(ratio, field(x) / field(0), 0.02 * field(0.5) / field(0));
    }
  }
}

TEST(Coils, TurnWithTheirLoops) {
  Matrix const matrix{17, 17, 1};
  auto const maps = coil_maps(matrix, 4);
  for (std::int64_t y = 0; y < 17; ++y) {
    for (std::int64_t x = 0; x < 17; ++x) {
      // A quarter turn takes (x, y) to (-y, x) and the field Bx - i By to -i times it.
      std::int64_t const turned = x * 17 + (16 - y);
      auto const expected = std::complex<double>(0, -1) * maps[y * 17 + x];
      // Least squares of condition about 1e3 and values up to 5.
      EXPECT_NEAR(std::abs(maps[17 * 17 + turned] - expected), 0, 1e-11);
    }
  }
}

TEST(Coils, MapsAreTheirPolynomials) {
  CoilSet set{3, 2, {std::vector<std::complex<double>>(10)}};
  auto const exponents = monomials(3, 2);
  ASSERT_EQ(exponents.size(), 10U);
  for (std::size_t a = 0; a < 10; ++a)
    set.coefficients[0][a] = {static_cast<double>(a), 1.0 / static_cast<double>(a + 1)};
  Matrix const matrix{5, 4, 3};
  auto const maps = coil_maps(matrix, set);
  double const x = 2 * 1.0 / 5, y = 2 * -2.0 / 4, z = 2 * 1.0 / 3;  // voxel (3, 0, 2)
  std::complex<double> expected = 0;
  for (std::size_t a = 0; a < 10; ++a) {
    expected += set.coefficients[0][a] * std::pow(x, exponents[a][0]) * std::pow(y, exponents[a][1]) *
                std::pow(z, exponents[a][2]);
  }
  EXPECT_NEAR(std::abs(maps[(2 * 4 + 0) * 5 + 3] - expected), 0, 1e-13);
}

TEST(Coils, RefuseWhatCannotBe) {
  EXPECT_THROW(make_coils(2, 0), Error);
  EXPECT_THROW(make_coils(2, 1000), Error);
  EXPECT_THROW(coil_maps({8, 8, 1}, uniform_coil(3)), Error);
}

}  // namespace
}  // namespace findrho
