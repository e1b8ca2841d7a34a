// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using testing::Complex;
using testing::Point;
using testing::refusal;
using testing::trajectory;

Context const context = Context::cpu(2);

TEST(Motion, DriftGoesEvenlyFromRestToItsMost) {
  auto const all = poses({.kind = MotionKind::drift, .most = {{0, 0, 0.2}, {6, 0, -3}}}, 5, 0.01);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0], Pose{});
  EXPECT_NEAR(all[1].turn_rad[2], 0.05, 1e-15);
  EXPECT_NEAR(all[2].shift_mm[0], 3, 1e-15);
  EXPECT_NEAR(all[4].shift_mm[2], -3, 1e-15);
}

TEST(Motion, AStepComesAtItsPartOfTheScan) {
  Pose const most{{0, 0, 0}, {0, 4, 0}};
  auto const all = poses({.kind = MotionKind::step, .most = most, .step_at = 0.3}, 10, 0.01);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(all[i], i < 3 ? Pose{} : most);
}

TEST(Motion, BreathingReturnsAfterItsPeriodAndIsFullHalfway) {
  auto const all =
      poses({.kind = MotionKind::breathing, .most = {{0, 0, 0}, {0, 10, 0}}, .period_s = 4}, 9, 0.5);
  EXPECT_EQ(all[0].shift_mm[1], 0);
  EXPECT_NEAR(all[4].shift_mm[1], 10, 1e-14);
  EXPECT_NEAR(all[8].shift_mm[1], 0, 1e-14);
  EXPECT_NEAR(all[2].shift_mm[1], 2.5, 1e-14);  // sin^4(pi/4) = 1/4
}

TEST(Motion, ARandomWalkRepeatsWithItsSeedAndReachesItsDeviation) {
  Motion motion{.kind = MotionKind::random, .most = {{0, 0, 0.1}, {2, 3, 0}}};
  auto const once = poses(motion, 50, 0.01);
  EXPECT_EQ(once, poses(motion, 50, 0.01));
  EXPECT_EQ(once[0], Pose{});
  double square = 0;
  constexpr int kWalks = 2000;
  for (int i = 0; i < kWalks; ++i) {
    motion.seed = static_cast<std::uint64_t>(i);
    square += std::pow(poses(motion, 50, 0.01).back().shift_mm[1], 2);
  }
  // The mean square of 2000 Gaussians is known to sqrt(2/2000); 5 of these (the seeds are fixed: it cannot fluctuate).
  EXPECT_NEAR(square / kWalks, 9, 9 * 5 * std::sqrt(2.0 / kWalks));
}

TEST(Motion, TurnsKAndAddsAPhaseRamp) {
  // Without coils the moved object has k-space exp(-i 2 pi k . shift) rho^(turn^T k), in mm and cycles per mm.
  std::array<double, 3> const fov{220, 180, 150};
  Pose const pose{{0.2, -0.1, 0.5}, {7, -4, 11}};
  std::vector<Point> const points{{0, 0, 0}, {3, -2, 1}, {-5, 4.5, 6}};
  Phantom const phantom = shepp_logan(3);
  Matrix const matrix{16, 16, 16};
  Trajectory t = trajectory(3, points);
  t.samples_per_readout = 3;
  auto const moved = phantom_samples(context, phantom, matrix, t, uniform_coil(3), {placement(pose, fov, 3)});

  auto const turned = [&](Point k) {  // the inverse turns, the last one first
    for (std::size_t d = 0; d < 3; ++d) k[d] /= fov[d];
    for (std::size_t const axis : {2U, 1U, 0U}) {
      double const c = std::cos(pose.turn_rad[axis]), s = std::sin(pose.turn_rad[axis]);
      std::size_t const u = (axis + 1) % 3, v = (axis + 2) % 3;
      double const at_u = c * k[u] + s * k[v], at_v = -s * k[u] + c * k[v];
      k[u] = at_u;
      k[v] = at_v;
    }
    for (std::size_t d = 0; d < 3; ++d) k[d] *= fov[d];
    return k;
  };
  std::vector<Point> inverse;
  for (Point const& k : points) inverse.push_back(turned(k));
  auto const still = phantom_samples(context, phantom, matrix, trajectory(3, inverse));
  for (std::size_t i = 0; i < points.size(); ++i) {
    double turns = 0;
    for (std::size_t d = 0; d < 3; ++d) turns += points[i][d] * pose.shift_mm[d] / fov[d];
    auto const m = static_cast<std::int64_t>(i);
    EXPECT_NEAR(std::abs(moved[m] - still[m] * std::polar(1.0, -2 * pi * turns)), 0,
                1e-12 * std::abs(still[0]));
  }
}

TEST(Motion, LeavesTheCoilsWhereTheyAre) {
  // A solid turned about z and shifted is a solid again: its still scan through the same coils is the same.
  std::array<double, 3> const fov{200, 200, 200};
  Solid const at_rest{.shape = SolidShape::box, .center = {0.1, -0.05, 0}, .semi_axis = {0.2, 0.1, 0.3}};
  Pose const pose{{0, 0, 0.6}, {10, -20, 0}};
  Solid moved = at_rest;
  double const c = std::cos(0.6), s = std::sin(0.6);
  moved.center = {c * 0.1 + s * 0.05 + 0.05, s * 0.1 - c * 0.05 - 0.1, 0};
  moved.rotation_rad = 0.6;
  CoilSet const coils = make_coils(2, 4);
  Matrix const matrix{32, 32, 1};
  Trajectory t = trajectory(2, {{1, 2, 0}, {-3, 0.5, 0}, {1, 2, 0}, {-3, 0.5, 0}});
  t.samples_per_readout = 2;
  auto const got = phantom_samples(context, {2, {at_rest}}, matrix, t, coils, {{}, placement(pose, fov, 2)});
  auto const first = phantom_samples(context, {2, {at_rest}}, matrix, t, coils);
  auto const second = phantom_samples(context, {2, {moved}}, matrix, t, coils);
  double const scale = static_cast<double>(matrix.voxels()) * 0.08;  // the box's area
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t m = 0; m < 4; ++m) {
      EXPECT_NEAR(std::abs(got[4 * i + m] - (m < 2 ? first : second)[4 * i + m]), 0, 1e-12 * scale);
    }
  }
  EXPECT_GT(std::abs(first[2] - second[2]), 0.1 * std::abs(first[2]));  // the motion shows
}

TEST(Motion, IsReadFromOneWord) {
  Motion const step = parse_motion("step:at=0.25,turn=10,shift_x=-5.5");
  EXPECT_EQ(step.kind, MotionKind::step);
  EXPECT_EQ(step.step_at, 0.25);
  EXPECT_NEAR(step.most.turn_rad[2], pi / 18, 1e-15);
  EXPECT_EQ(step.most.shift_mm[0], -5.5);
  EXPECT_EQ(parse_motion("none").kind, MotionKind::none);
  EXPECT_EQ(parse_motion("breathing:period=3,shift_y=8").period_s, 3);
}

TEST(Motion, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal([] { parse_motion("wobble:turn=3"); }), "there is no motion 'wobble'");
  EXPECT_EQ(refusal([] { parse_motion("drift:turn=fast"); }), "motion: turn is 'fast'");
  EXPECT_EQ(refusal([] { parse_motion("drift:at=0.5"); }), "the motion drift takes no 'at'");
  EXPECT_EQ(refusal([] { parse_motion("step:at=1.5"); }), "the motion's step is at 1.5 of the scan");
  EXPECT_EQ(refusal([] { parse_motion("breathing:period=0"); }), "the motion's period is 0 s");
  EXPECT_EQ(refusal([] { parse_motion("breathing:period=-1e-9"); }), "the motion's period is -1e-09 s");
  EXPECT_EQ(refusal([] { parse_motion("none:turn=5"); }), "the motion none takes nothing, not 'turn=5'");
  EXPECT_EQ(refusal([] {
              placement({{0.1, 0, 0}, {}}, {1, 1, 1}, 2);
            }),
            "a 2D object cannot leave its plane");
  Trajectory t = trajectory(2, {{1, 2, 0}, {-3, 0.5, 0}});
  t.samples_per_readout = 2;
  EXPECT_EQ(refusal([&] {
              phantom_samples(context, shepp_logan(2), {8, 8, 1}, t, uniform_coil(2), {{}, {}});
            }),
            "2 places of the object for 2 samples in readouts of 2");
}

}  // namespace
}  // namespace findrho
