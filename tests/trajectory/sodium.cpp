// SPDX-License-Identifier: BSD-3-Clause
// Density-adapted radial and twisted projections.
#include <numbers>

#include "coverage.hpp"
#include "findrho/trajectory/adapted_radial.hpp"
#include "findrho/trajectory/facts.hpp"
#include "findrho/trajectory/twisted.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using test::radius;
using test::refused;

Matrix const kMatrix{32, 32, 32};

TEST(AdaptedRadial, ShellsBeyondTheLinearPartGetSamplesByTheirVolume) {
  Trajectory const t = make_adapted_radial(kMatrix, {.spokes = 3, .linear_part = 0.4});
  auto const n = static_cast<std::size_t>(t.samples_per_readout);
  double shell = 0;
  for (std::size_t j = 1; j < n; ++j) {
    double const inner = radius(t, j - 1), outer = radius(t, j);
    if (inner < 0.4 * 16) continue;
    double const volume = outer * outer * outer - inner * inner * inner;
    if (shell == 0) shell = volume;
    EXPECT_NEAR(volume / shell, 1, 1e-9);  // r^3 is linear in time: rounding of r^3 = 4096 against steps of 5
  }
  EXPECT_GT(shell, 0);
  EXPECT_NEAR(radius(t, n - 1), 16, 1e-9);
}

TEST(AdaptedRadial, KeepsTheLimitsOfSodiumAndStartsAtRest) {
  AdaptedRadialOptions const o{.spokes = 5};
  auto const facts = trajectory_facts(make_adapted_radial(kMatrix, o), o.scanner, 1);
  EXPECT_LE(facts.gradient_mT_m, o.scanner.gradient_mT_m);
  EXPECT_LE(facts.slew_T_m_s, o.scanner.slew_T_m_s);
  EXPECT_TRUE(facts.dc_on_sample);
  EXPECT_EQ(facts.dc_sample, 0);
  EXPECT_NEAR(facts.readout_s, 0.01, 1e-8);
}

TEST(AdaptedRadial, NamesTheLimitThatAShortReadoutWouldExceed) {
  auto const with = [](double readout_ms, double gradient, double slew, double dwell) {
    return refused([&] {
      make_adapted_radial(
          kMatrix, {.spokes = 1,
                    .readout_s = readout_ms * 1e-3,
                    .dwell_s = dwell,
                    .scanner = {.gradient_mT_m = gradient, .slew_T_m_s = slew, .gamma_MHz_T = kSodiumMHz_T}});
    });
  };
  EXPECT_NE(with(1, 5, 200, 1e-6).find("is too short: the gradient limit of 5 mT/m allows no less than"),
            std::string::npos);
  EXPECT_NE(with(1, 40, 1, 1e-6).find("the slew rate limit of 1 T/m/s allows"), std::string::npos);
  EXPECT_NE(with(0.3, 400, 2000, 1e-4).find("the dwell time of 100 us"), std::string::npos);
  EXPECT_EQ(refused([&] { make_adapted_radial(kMatrix, {.linear_part = 0}); }), "the linear part is 0");
}

TEST(AdaptedRadial, CoversTheSphereAtNyquist) {
  Trajectory const t = make_adapted_radial({16, 16, 16}, {.order = SphereOrder::spiral});
  // Rays at the edge: one per square cycle, neighbours 1 apart; samples along them much closer.
  EXPECT_LE(test::largest_gap(t, 7.9), std::sqrt(0.75));
}

TEST(Twisted, EveryLineFollowsTheAdaptedRadiusOnItsCone) {
  TwistedOptions const o{};
  Trajectory const t = make_twisted(kMatrix, o);
  Trajectory const spoke = make_adapted_radial(kMatrix, {.spokes = 1, .readout_s = o.readout_s});
  ASSERT_EQ(t.samples_per_readout, spoke.samples_per_readout);
  auto const n = static_cast<std::size_t>(t.samples_per_readout);
  for (std::size_t first = 0; first < t.kx.size(); first += n) {
    double const slope = t.kz[first + n - 1] / 16;
    for (std::size_t j = 0; j < n; j += 11) {
      EXPECT_NEAR(radius(t, first + j), radius(spoke, j), 1e-9);
      EXPECT_NEAR(t.kz[first + j], slope * radius(spoke, j), 1e-9);
    }
  }
}

TEST(Twisted, KeepsTheLimitsAlsoWhereTheyAreTight) {
  for (double const slew : {150.0, 15.0, 5.0}) {
    TwistedOptions o{};
    o.scanner.slew_T_m_s = slew;
    auto const facts = trajectory_facts(make_twisted(kMatrix, o), o.scanner, 1);
    EXPECT_LE(facts.gradient_mT_m, o.scanner.gradient_mT_m);
    EXPECT_LE(facts.slew_T_m_s, slew * (1 + 1e-9));
    EXPECT_TRUE(facts.dc_on_sample);
  }
}

TEST(AdaptedRadial, EveryDesignPassesTheCheckOfItsLimits) {
  for (std::int64_t const n : {16, 32, 64}) {
    for (double const readout_ms : {8.0, 9.0, 10.0, 12.0, 20.0}) {
      for (double const slew : {60.0, 100.0, 150.0}) {
        for (double const dwell : {4e-6, 1e-5}) {
          AdaptedRadialOptions o{.spokes = 3, .readout_s = readout_ms * 1e-3, .dwell_s = dwell};
          o.scanner.slew_T_m_s = slew;
          auto const facts = trajectory_facts(make_adapted_radial({n, n, n}, o), o.scanner, 1);
          EXPECT_NO_THROW(require_limits(facts, o.scanner)) << n << ' ' << readout_ms << ' ' << slew;
        }
      }
    }
  }
}

TEST(Twisted, EveryDesignPassesTheCheckOfItsLimits) {
  for (std::int64_t const n : {16, 32}) {
    for (double const readout_ms : {8.0, 12.0}) {
      TwistedOptions o{.undersampling = 8, .readout_s = readout_ms * 1e-3};
      o.scanner.slew_T_m_s = 60;
      auto const facts = trajectory_facts(make_twisted({n, n, n}, o), o.scanner, 1);
      EXPECT_NO_THROW(require_limits(facts, o.scanner)) << n << ' ' << readout_ms;
    }
  }
}

TEST(Twisted, NeedsFewerShotsThanSpokesByTheLinearPart) {
  TwistedOptions o{};
  o.scanner.slew_T_m_s = 200;
  double const nyquist = std::numbers::pi * 32 * 32;
  double const shots = static_cast<double>(make_twisted(kMatrix, o).size()) /
                       static_cast<double>(make_twisted(kMatrix, o).samples_per_readout);
  // Sum over C cones of 2 pi k0 sin(a) is 2 pi k0 (2/pi) C = 0.4 pi N^2; counts are rounded up on each of 52 cones, and the
  // twist begins gently: the distance across peaks somewhat beyond k0.
  EXPECT_GE(shots / nyquist, 0.4);
  EXPECT_LE(shots / nyquist, 0.4 * 1.2);
}

TEST(Twisted, CoversTheSphereAtNyquist) {
  Trajectory const t = make_twisted({24, 24, 24});
  EXPECT_LE(test::largest_gap(t, 11.9),
            std::sqrt(0.75));  // cones 1 apart, lines at most 1 apart across, samples closer
  EXPECT_EQ(refused([] {
              make_twisted({24, 24, 1});
            }),
            "a twisted projection trajectory has 3 dimensions, the matrix is 24 x 24 x 1");
}

}  // namespace
}  // namespace findrho
