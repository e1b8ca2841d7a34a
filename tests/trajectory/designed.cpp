// SPDX-License-Identifier: BSD-3-Clause
// The generators that are designed under limits: spiral_vd, rosette, stacks, cones.
#include <numbers>

#include "coverage.hpp"
#include "findrho/trajectory/facts.hpp"
#include "findrho/trajectory/generate.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using test::largest_gap;
using test::radius;
using test::refused;

/// Facts of a trajectory, after a check that its samples keep the scanner's limits.
TrajectoryFacts within_limits(Trajectory const& t, Scanner const& scanner) {
  auto const facts = trajectory_facts(t, scanner, 1);
  // Positions are doubles and the float times only give the dwell time, to 6e-8: rounding is far below a part in 1e6.
  EXPECT_LE(facts.gradient_mT_m, scanner.gradient_mT_m * (1 + 1e-6));
  EXPECT_LE(facts.slew_T_m_s, scanner.slew_T_m_s * (1 + 1e-6));
  return facts;
}

Scanner scanner(double gradient, double slew, double fov = 220) {
  return {.gradient_mT_m = gradient, .slew_T_m_s = slew, .fov_mm = {fov, fov, fov}};
}

TEST(SpiralVd, KeepsItsLimitsAndUsesThem) {
  Matrix const matrix{96, 96, 1};
  for (SpiralDirection const direction :
       {SpiralDirection::out, SpiralDirection::in, SpiralDirection::in_out}) {
    for (auto const& limits : {scanner(40, 150), scanner(10, 150), scanner(40, 30), scanner(80, 200, 500)}) {
      Trajectory const t = make_spiral_vd(matrix, {.interleaves = 8,
                                                   .direction = direction,
                                                   .undersampling_edge = 3,
                                                   .core = 0.3,
                                                   .longest_readout_s = 1,
                                                   .scanner = limits});
      auto const facts = within_limits(t, limits);
      // One of three limits rules at every moment: gradient, slew rate, or one sample per cycle per FOV.
      double const nyquist = 1e3 * gradient_of_cycles_per_s(limits, 0) / 4e-6;
      EXPECT_GT(std::max(facts.gradient_mT_m / std::min(limits.gradient_mT_m, nyquist),
                         facts.slew_T_m_s / limits.slew_T_m_s),
                0.99);
      EXPECT_TRUE(facts.dc_on_sample);
      EXPECT_LE(test::largest_over_edge(t, matrix), 1 + 1e-12);
    }
  }
}

TEST(SpiralVd, EveryTurnedCopyOnAnEllipseKeepsTheLimits) {
  Scanner wide = scanner(40, 150);
  wide.fov_mm = {220, 150, 100};
  for (Matrix const& matrix : {Matrix{64, 40, 1}, Matrix{32, 64, 1}}) {
    within_limits(make_spiral_vd(matrix, {.interleaves = 7, .scanner = wide}), wide);
    within_limits(make_rosette(matrix, {.scanner = wide}), wide);
  }
  Matrix const solid{12, 14, 10};
  within_limits(make_cones(solid, {.equator_interleaves = 3, .scanner = wide}), wide);
  StackOfSpiralsOptions o;
  o.scanner = wide;
  o.turn = StackTurn::golden;
  within_limits(make_stack_of_spirals(solid, o), wide);
}

TEST(SpiralVd, ADoubledSlewRateShortensASlewLimitedReadoutByItsRoot) {
  // Far from the gradient limit time scales as 1/sqrt(slew): k(t) with t -> t/sqrt(2) doubles the second derivative.
  auto const samples = [](double slew) {
    return static_cast<double>(make_spiral_vd({64, 64, 1}, {.interleaves = 1,
                                                            .longest_readout_s = 1,
                                                            .readout_oversampling = 1,
                                                            .dwell_s = 1e-6,
                                                            .scanner = scanner(1000, slew)})
                                   .samples_per_readout);
  };
  // The first-order integration misses the slew limit by a different part of a per cent each time.
  EXPECT_NEAR(samples(40) / samples(80), std::sqrt(2.0), 0.005 * std::sqrt(2.0));
}

TEST(SpiralVd, ArchimedeanTurnsCoverTheDiscAtNyquist) {
  for (SpiralDirection const direction :
       {SpiralDirection::out, SpiralDirection::in, SpiralDirection::in_out}) {
    Trajectory const t = make_spiral_vd({64, 64, 1}, {.interleaves = 4, .direction = direction});
    // Turns 1 apart, samples at most 1 apart on each: the middle of such a cell is sqrt(2)/2 away from its corners.
    EXPECT_LE(largest_gap(t, 31.5),
              std::sqrt(0.5) + 0.01);  // turns are not quite straight: 1/(8 r) at r > 12 turns
  }
}

TEST(SpiralVd, TheDistanceOfTurnsGrowsAsAsked) {
  Trajectory const t = make_spiral_vd(
      {128, 128, 1},
      {.interleaves = 1, .undersampling = 1, .undersampling_edge = 4, .core = 0.25, .longest_readout_s = 1});
  // Radii where the interleave crosses the positive x axis are one turn apart: dr = integral of u over the turn.
  std::vector<double> crossings;
  for (std::size_t m = 1; m < t.kx.size(); ++m) {
    if (t.kx[m] > 0 && t.ky[m - 1] < 0 && t.ky[m] >= 0) {
      double const part = t.ky[m - 1] / (t.ky[m - 1] - t.ky[m]);
      crossings.push_back(t.kx[m - 1] + part * (t.kx[m] - t.kx[m - 1]));
    }
  }
  ASSERT_GT(crossings.size(), 20U);
  for (std::size_t i = 1; i < crossings.size(); ++i) {
    double const a = crossings[i - 1], b = crossings[i];
    auto const u = [](double r) { return r <= 16 ? 1 : 1 + 3 * (r - 16) / 48; };
    // One turn: integral of dr/u = 1. Simpson's rule over a turn is exact to (3/48)^4 here; crossings are found on chords,
    // whose sagitta is at most 1/(8 r) of a sample of length 1.
    double const turns = (b - a) / 6 * (1 / u(a) + 4 / u(0.5 * (a + b)) + 1 / u(b));
    EXPECT_NEAR(turns, 1, 0.005 + 2 * 0.125 / std::max(a, 1.0)) << a;
  }
}

TEST(SpiralVd, InAndOutAreMirrorsInTimeAndInOutIsAPointReflection) {
  SpiralVdOptions o{.interleaves = 6};
  Trajectory const out = make_spiral_vd({48, 48, 1}, o);
  o.direction = SpiralDirection::in;
  Trajectory const in = make_spiral_vd({48, 48, 1}, o);
  ASSERT_EQ(in.samples_per_readout, out.samples_per_readout);
  auto const n = static_cast<std::size_t>(out.samples_per_readout);
  for (std::size_t j = 0; j < n; ++j) {
    EXPECT_EQ(in.kx[j], out.kx[n - 1 - j]);
    EXPECT_EQ(in.ky[j], out.ky[n - 1 - j]);
    EXPECT_FLOAT_EQ(in.time_s[j], -out.time_s[n - 1 - j]);
  }
  o.direction = SpiralDirection::in_out;
  Trajectory const both = make_spiral_vd({48, 48, 1}, o);
  auto const m = static_cast<std::size_t>(both.samples_per_readout);
  EXPECT_EQ(dc_sample(both), static_cast<std::int64_t>(m / 2));
  for (std::size_t j = 0; j < m; ++j) EXPECT_NEAR(both.kx[j], -both.kx[m - 1 - j], 1e-12);
}

TEST(SpiralVd, KeepsAGradientLimitThatRulesEverywhere) {
  Scanner const weak = scanner(2.5, 150);
  within_limits(make_spiral_vd({32, 32, 1}, {.longest_readout_s = 1, .scanner = weak}), weak);
}

TEST(SpiralVd, KeepsItsLimitsWhereTheLastStepAlongTheRadiusIsOnlyRounding) {
  // 2000 steps of 24/2000 or 32/2000, added up, end a few roundings before the edge: the step after them is 1e-12 long.
  Scanner const ellipse{.gradient_mT_m = 7, .slew_T_m_s = 77, .fov_mm = {200, 160, 220}};
  Scanner const circle{.gradient_mT_m = 12, .slew_T_m_s = 60, .fov_mm = {256, 256, 220}};
  require_limits(within_limits(make_spiral_vd({48, 40, 1}, {.dwell_s = 1e-6, .scanner = ellipse}), ellipse),
                 ellipse);
  require_limits(within_limits(make_spiral_vd({64, 64, 1}, {.dwell_s = 1e-6, .scanner = circle}), circle),
                 circle);
}

TEST(SpiralVd, TheReadoutLimitChoosesTheInterleavesOrIsNamed) {
  SpiralVdOptions o{.longest_readout_s = 5e-3};
  Trajectory const t = make_spiral_vd({128, 128, 1}, o);
  auto const interleaves = t.size() / t.samples_per_readout;
  EXPECT_LE(static_cast<double>(t.samples_per_readout) * o.dwell_s, 5e-3);
  o.interleaves = interleaves - 1;
  EXPECT_EQ(refused([&] {
              make_spiral_vd({128, 128, 1}, o);
            }).substr(0, std::to_string(o.interleaves).size() + 12),
            std::to_string(o.interleaves) + " shots take ");
  o = {.longest_readout_s = 1e-4};
  EXPECT_NE(refused([&] {
              make_spiral_vd({128, 128, 1}, o);
            }).find("longer than the readout limit of 0.1 ms"),
            std::string::npos);
}

TEST(SpiralVd, RefusesWhatCannotBe) {
  Matrix const m{64, 64, 1};
  EXPECT_EQ(refused([&] { make_spiral_vd(m, {.interleaves = -2}); }), "the number of shots is -2");
  // Refused by its duration, before its 10^9 samples are computed.
  EXPECT_NE(refused([&] { make_spiral_vd(m, {.scanner = scanner(40, 1e-9)}); }).find("a readout would take"),
            std::string::npos);
  EXPECT_EQ(refused([&] { make_spiral_vd(m, {.undersampling_edge = -1}); }),
            "the undersampling at the edge is -1");
  EXPECT_EQ(refused([&] { make_spiral_vd(m, {.core = 1.5}); }), "the core is 1.5");
  EXPECT_EQ(refused([&] { make_spiral_vd(m, {.scanner = scanner(0, 150)}); }),
            "the largest gradient is 0 mT/m");
  EXPECT_EQ(refused([&] { make_spiral_vd(m, {.scanner = scanner(40, -1)}); }),
            "the largest slew rate is -1 T/m/s");
}

TEST(Rosette, KeepsItsLimitsAndUsesOneOfThem) {
  Matrix const matrix{96, 96, 1};
  for (double const turn : {0.0, 0.5, 1.0, 2.5}) {
    for (auto const& limits : {scanner(40, 150), scanner(5, 150), scanner(40, 20)}) {
      Trajectory const t = make_rosette(matrix, {.turn = turn, .scanner = limits});
      auto const facts = within_limits(t, limits);
      double const nyquist = 1e3 * gradient_of_cycles_per_s(limits, 0) / 4e-6;
      // The petal is rounded up to whole samples, of which it has more than 100: a part in 100, squared for the slew rate.
      EXPECT_GT(std::max(facts.gradient_mT_m / std::min(limits.gradient_mT_m, nyquist),
                         facts.slew_T_m_s / limits.slew_T_m_s),
                0.97);
      EXPECT_TRUE(facts.dc_on_sample);
      EXPECT_LE(test::largest_over_edge(t, matrix), 1 + 1e-12);
    }
  }
}

TEST(Rosette, PetalsOfAShotAndShotsSpreadEvenly) {
  Trajectory const t = make_rosette({64, 64, 1}, {.petals = 6, .shots = 5});
  std::int64_t const per_petal = t.samples_per_readout / 6;
  std::vector<double> angle;
  for (std::int64_t p = 0; p < 30; ++p) {
    // The farthest point of a petal is in its middle, between samples where their number is odd: take both neighbours.
    auto const a = static_cast<std::size_t>(p * per_petal + (per_petal - 1) / 2),
               b = static_cast<std::size_t>(p * per_petal + per_petal / 2 + (per_petal % 2));
    double const turn = std::atan2(t.ky[a] + t.ky[b], t.kx[a] + t.kx[b]);
    angle.push_back(turn);
  }
  std::sort(angle.begin(), angle.end());
  for (std::size_t i = 1; i < angle.size(); ++i) EXPECT_NEAR(angle[i] - angle[i - 1], 2 * pi / 30, 0.05);
}

TEST(Rosette, CoversTheDiscAtNyquist) {
  for (double const turn : {0.0, 0.5, 1.0}) {
    Trajectory const t = make_rosette({64, 64, 1}, {.petals = 8, .turn = turn});
    // Lines at most 1 apart across and samples at most 1 apart along: sqrt(2)/2, less the outermost cycle, where petals turn
    // back and their tips are 1 + q apart.
    EXPECT_LE(largest_gap(t, 31), std::sqrt(0.5) + 0.02);
  }
}

TEST(Rosette, RefusesWhatCannotBe) {
  Matrix const m{64, 64, 1};
  EXPECT_EQ(refused([&] { make_rosette(m, {.petals = 0}); }), "the number of petals is 0");
  EXPECT_EQ(refused([&] { make_rosette(m, {.shots = -1}); }), "the number of shots is -1");
  EXPECT_EQ(refused([&] { make_rosette(m, {.turn = -1}); }), "the turn is -1");
}

TEST(Propeller, BladesAreLinesOneCycleApartInsideTheCircle) {
  Matrix const matrix{64, 64, 1};
  Trajectory const t = make_propeller(matrix, {.lines = 8});
  EXPECT_EQ(t.size() / t.samples_per_readout, 13 * 8);  // ceil(pi/2 64/8) = ceil(12.57)
  auto const n = static_cast<std::size_t>(t.samples_per_readout);
  for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(t.ky[n + j] - t.ky[j], 1, 1e-12);
  double largest = 0;
  for (std::size_t m = 0; m < t.kx.size(); ++m) largest = std::max(largest, radius(t, m));
  EXPECT_NEAR(largest, 32, 1e-12);
  auto const facts = trajectory_facts(t, scanner(40, 150));
  EXPECT_TRUE(facts.dc_on_sample);
  EXPECT_EQ(facts.dc_sample, 32);
  // Cells of at most 1 x 1 within blades that touch at their middle lines' ends, sqrt(32^2 - 4^2) less one sample.
  EXPECT_LE(largest_gap(t, std::sqrt(32.0 * 32 - 16) - 1), std::sqrt(0.5) + 1e-9);
}

TEST(Propeller, RefusesWhatCannotBe) {
  Matrix const m{64, 64, 1};
  EXPECT_EQ(refused([&] { make_propeller(m, {.lines = 0}); }), "the number of lines of a blade is 0");
  EXPECT_EQ(refused([&] { make_propeller(m, {.lines = 64}); }),
            "a blade of 64 lines is as wide as k-space, 64");
  EXPECT_EQ(refused([&] { make_propeller(m, {.blades = -1}); }), "the number of blades is -1");
}

TEST(Stack, EveryPlaneIsThePlaneTrajectory) {
  Matrix const matrix{32, 32, 6};
  StackOfStarsOptions o;
  o.spokes = 9;
  o.acceleration_z = 2;
  Trajectory const t = make_stack_of_stars(matrix, o);
  Trajectory const plane = make_radial_2d({32, 32, 1}, {.spokes = 9});
  ASSERT_EQ(t.size(), 3 * plane.size());  // kz = -2, 0, 2
  for (std::size_t m = 0; m < t.kx.size(); ++m) {
    std::size_t const p = m % plane.kx.size();
    EXPECT_EQ(t.kx[m], plane.kx[p]);
    EXPECT_EQ(t.ky[m], plane.ky[p]);
    EXPECT_EQ(t.kz[m], -2 + 2 * static_cast<double>(m / plane.kx.size()));
    EXPECT_EQ(t.time_s[m], plane.time_s[p]);
  }
}

TEST(Stack, GoldenTurnsTurnPlanesOfAnyAspect) {
  StackOfStarsOptions o;
  o.spokes = 4;
  o.turn = StackTurn::golden;
  Trajectory const t = make_stack_of_stars({32, 16, 4}, o);
  for (std::int64_t p = 0; p < 4; ++p) {
    auto const m =
        static_cast<std::size_t>(p * 4 * t.samples_per_readout);  // the outer end of the plane's first spoke
    double const angle = std::atan2(-2 * t.ky[m], -t.kx[m]),
                 expected = pi / std::numbers::phi * static_cast<double>(p);
    EXPECT_NEAR(std::remainder(angle - expected, 2 * pi), 0, 1e-12);
  }
  EXPECT_LE(test::largest_over_edge(t, {32, 16, 4}), 1 + 1e-12);
}

TEST(Stack, SpiralsKeepTheirLimitsAndCoverEveryPlane) {
  StackOfSpiralsOptions o;
  o.interleaves = 3;
  Trajectory const t = make_stack_of_spirals({32, 32, 8}, o);
  within_limits(t, o.scanner);
  EXPECT_LE(largest_gap(t, 3),
            std::sqrt(0.75) + 0.05);  // near the centre turns are curved with 3 interleaves' radius
  EXPECT_EQ(refused([] {
              make_stack_of_spirals({32, 32, 1});
            }),
            "a stack-of-spirals trajectory has 3 dimensions, the matrix is 32 x 32 x 1");
  o.acceleration_z = 9;
  EXPECT_EQ(refused([&] {
              make_stack_of_spirals({32, 32, 8}, o);
            }),
            "undersampling by 9 along z exceeds the 8 planes");
}

TEST(Cones, KeepTheirLimitsOnEveryCone) {
  Matrix const matrix{32, 32, 32};
  for (auto const& limits : {scanner(40, 150), scanner(8, 150), scanner(40, 40)}) {
    ConesOptions const o{.equator_interleaves = 4, .longest_readout_s = 1, .scanner = limits};
    Trajectory const t = make_cones(matrix, o);
    auto const facts = within_limits(t, limits);
    EXPECT_TRUE(facts.dc_on_sample);
    EXPECT_EQ(facts.dc_sample, 0);
    EXPECT_LE(test::largest_over_edge(t, matrix), 1 + 1e-12);
    std::int64_t const n = t.samples_per_readout;
    for (std::int64_t i = 0; i < facts.shots; ++i) {
      // Every readout stays on its cone and ends at the edge.
      double const end = radius(t, static_cast<std::size_t>((i + 1) * n - 1));
      EXPECT_NEAR(end, 16, 1e-9);
      double const slope = t.kz[static_cast<std::size_t>((i + 1) * n - 1)] / end;
      for (std::int64_t j = 1; j < n; j += 37) {
        auto const m = static_cast<std::size_t>(i * n + j);
        EXPECT_NEAR(t.kz[m], slope * radius(t, m), 1e-9);
      }
    }
  }
}

TEST(Cones, CoverTheSphereAtNyquist) {
  Trajectory const t = make_cones({24, 24, 24}, {.equator_interleaves = 6});
  // Cones 1 apart at the edge, turns 1 apart along the surface, samples 1 apart at most: half the diagonal of a cube.
  EXPECT_LE(largest_gap(t, 11), std::sqrt(0.75) + 0.02);
}

TEST(Cones, TheReadoutLimitIsKeptOrNamed) {
  ConesOptions o{.longest_readout_s = 3e-3};
  Trajectory const t = make_cones({48, 48, 48}, o);
  EXPECT_LE(static_cast<double>(t.samples_per_readout) * o.dwell_s, 3e-3 + 1e-9);
  o.equator_interleaves = 1;
  EXPECT_NE(refused([&] {
              make_cones({48, 48, 48}, o);
            }).find("ms each, the readout limit is 3 ms"),
            std::string::npos);
  EXPECT_EQ(refused([&] {
              make_cones({48, 48, 48}, {.equator_interleaves = -1});
            }),
            "the number of interleaves at the equator is -1");
}

}  // namespace
}  // namespace findrho
