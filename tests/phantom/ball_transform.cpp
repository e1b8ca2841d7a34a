// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/ball_transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace findrho::detail {
namespace {

using std::numbers::pi;

TEST(BallTransform, RadialFunctionsAreBesselOverPower) {
  constexpr int kCount = BallTransform::kMostDegree + 1;
  for (double const q : {1e-3, 0.1, 1.0, 4.0, 7.9, 8.0, 8.1, 50.0, 1000.0}) {
    double disc[kCount], ball[kCount];
    radial_functions(2, q, kCount, disc);
    radial_functions(3, q, kCount, ball);
    for (int n = 0; n < kCount; ++n) {
      auto const order = static_cast<unsigned>(n + 1);
      double const power = std::pow(q, n + 1);
      double const at_0 = 1 / std::tgamma(n + 2.0) / std::pow(2, n + 1);  // J_{n+1}(q)/q^{n+1} at 0
      // Both sides lose at most three digits of 16 to cancellation (the recurrence near q = 8, J near its
      // zeros).
      EXPECT_NEAR(disc[n], 2 * pi * std::cyl_bessel_j(order, q) / power, 1e-12 * at_0)
          << "q " << q << " n " << n;
      EXPECT_NEAR(ball[n], 4 * pi * std::sph_bessel(order, q) / power, 1e-12 * at_0)
          << "q " << q << " n " << n;
    }
  }
}

TEST(BallTransform, AtZeroItIsAreaAndVolume) {
  double value;
  radial_functions(2, 0, 1, &value);
  EXPECT_NEAR(value, pi, 1e-15);
  radial_functions(3, 0, 1, &value);
  EXPECT_NEAR(value, 4 * pi / 3, 1e-15);
}

}  // namespace
}  // namespace findrho::detail
