// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/facts.hpp"

#include <numbers>

#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/spiral_2d.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using test::refused;

Scanner const kScanner{.fov_mm = {200, 200, 200}};

TEST(Facts, ASpokeNeedsAConstantGradientAndNoSlew) {
  auto const f = trajectory_facts(make_radial_2d({64, 64, 1}, {.spokes = 10}), kScanner, 0.02);
  // One cycle per FOV each 5 us: 1 / (0.2 m x 42.577 MHz/T x 5 us) = 23.487 mT/m, to the float's rounding of times.
  EXPECT_NEAR(f.gradient_mT_m, 1e3 / (0.2 * 42.577478518e6 * 5e-6), 23.5 * 1e-6);
  // Second differences of k up to 32: a few roundings of 4e-15 times 1.2e-7 T/m per cycle/s over (5 us)^2.
  EXPECT_LT(f.slew_T_m_s, 4 * 4e-15 * 1.2e-7 / 25e-12);
  EXPECT_EQ(f.shots, 10);
  EXPECT_EQ(f.samples_per_shot, 64);
  EXPECT_NEAR(f.readout_s, 64 * 5e-6, 1e-10);
  EXPECT_DOUBLE_EQ(f.scan_time_s, 0.2);
  EXPECT_TRUE(f.dc_on_sample);
  EXPECT_EQ(f.dc_sample, 32);
  EXPECT_EQ(f.largest_k[0], 32);
}

TEST(Facts, ACircleNeedsTheGradientAndSlewOfItsSpeed) {
  // k = R (cos, sin)(w t): chords of 2 R sin(w h/2) and second differences of 4 R sin(w h/2)^2.
  Trajectory t;
  t.samples_per_readout = 100;
  double const r = 10, turn = 2 * std::numbers::pi / 100, h = 1e-5;
  for (int j = 0; j < 100; ++j) {
    t.kx.push_back(r * std::cos(turn * j));
    t.ky.push_back(r * std::sin(turn * j));
    t.time_s.push_back(static_cast<float>(j * h));
  }
  auto const f = trajectory_facts(t, kScanner);
  double const unit = 1 / (0.2 * 42.577478518e6), s = std::sin(turn / 2);
  EXPECT_NEAR(f.gradient_mT_m / (2 * r * s / h * unit * 1e3), 1, 1e-6);  // times are floats
  EXPECT_NEAR(f.slew_T_m_s / (4 * r * s * s / (h * h) * unit), 1, 1e-6);
  EXPECT_FALSE(f.dc_on_sample);
  EXPECT_NEAR(f.dc_distance, 10, 1e-12);
}

TEST(Facts, TheSampleAtDcIsFoundWithoutTimes) {
  Trajectory t = make_radial_2d({64, 64, 1}, {.spokes = 3});
  t.time_s.clear();
  EXPECT_EQ(trajectory_facts(t, kScanner).dc_sample, 32);
}

TEST(Facts, SodiumNeedsMoreGradientByTheRatioOfGammas) {
  Trajectory const t = make_radial_2d({64, 64, 1}, {.spokes = 1});
  Scanner sodium = kScanner;
  sodium.gamma_MHz_T = kSodiumMHz_T;
  EXPECT_NEAR(trajectory_facts(t, sodium).gradient_mT_m / trajectory_facts(t, kScanner).gradient_mT_m,
              kProtonMHz_T / kSodiumMHz_T, 1e-12);
}

TEST(Facts, LimitsThatAreExceededAreNamedWithTheirNumbers) {
  auto const spokes = trajectory_facts(make_radial_2d({64, 64, 1}, {.spokes = 1, .dwell_s = 2e-6}), kScanner);
  EXPECT_EQ(refused([&] { require_limits(spokes, kScanner); }),
            "the trajectory needs a gradient of 58.72 mT/m, the limit is 40 mT/m");
  auto const spiral = trajectory_facts(make_spiral_2d({64, 64, 1}), kScanner);
  EXPECT_NE(refused([&] { require_limits(spiral, kScanner); }).find("needs a slew rate of"),
            std::string::npos);
  require_limits(trajectory_facts(make_radial_2d({64, 64, 1}, {.spokes = 1}), kScanner), kScanner);
}

TEST(Facts, ARefusalShowsTheDigitsThatTellItsNumbersApart) {
  EXPECT_EQ(refused([] { require_limits({.slew_T_m_s = 60.00001}, {.slew_T_m_s = 60}); }),
            "the trajectory needs a slew rate of 60.00001 T/m/s, the limit is 60 T/m/s");
  EXPECT_EQ(refused([] { require_limits({.gradient_mT_m = 40.0004}, {.gradient_mT_m = 40}); }),
            "the trajectory needs a gradient of 40.0004 mT/m, the limit is 40 mT/m");
}

TEST(Facts, ARepetitionTimeShorterThanTheReadoutIsRefused) {
  Trajectory const t = make_radial_2d({64, 64, 1}, {.spokes = 1});
  EXPECT_EQ(refused([&] { trajectory_facts(t, kScanner, 1e-4); }),
            "the repetition time of 0.1 ms is shorter than a readout, 0.32 ms");
}

}  // namespace
}  // namespace findrho
