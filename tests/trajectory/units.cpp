// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;

TrajectoryExtent reaching(double k, std::int64_t n = 128, double fov_mm = 240) {
  TrajectoryExtent extent;
  extent.largest = {k, 0.9 * k, 0};
  extent.matrix = {n, n, 1};
  extent.fov_mm = {fov_mm, fov_mm, 5};
  extent.limit = {static_cast<double>(n) / 2, static_cast<double>(n) / 2, 0.5};
  return extent;
}

TrajectoryUnits decided(TrajectoryExtent const& extent, TrajectoryUnits asked = TrajectoryUnits::automatic) {
  return decide_trajectory_units(Context::cpu(1), extent, asked);
}

TEST(TrajectoryUnitsByEvidence, EdgeOfKSpaceTellsTheUnit) {
  EXPECT_EQ(decided(reaching(64)), TrajectoryUnits::cycles_per_fov);
  EXPECT_EQ(decided(reaching(0.5)), TrajectoryUnits::cycles_per_voxel);
  EXPECT_EQ(decided(reaching(std::numbers::pi)), TrajectoryUnits::radians);
}

TEST(TrajectoryUnitsByEvidence, RoundingAtTheEdgeIsInside) {
  EXPECT_EQ(decided(reaching(static_cast<double>(static_cast<float>(std::numbers::pi)))),
            TrajectoryUnits::radians);
  EXPECT_EQ(decided(reaching(64 * (1 + 0.9 * kEdgeRounding))), TrajectoryUnits::cycles_per_fov);
  EXPECT_THROW(decided(reaching(64 * (1 + 2 * kEdgeRounding))), Error);
}

TEST(TrajectoryUnitsByEvidence, ScanOfLowResolutionIsKnownWhenOnlyOneUnitFits) {
  EXPECT_EQ(decided(reaching(10)), TrajectoryUnits::cycles_per_fov);  // 16 % of N/2, but beyond pi
}

TEST(TrajectoryUnitsByEvidence, AmbiguousReachIsRefused) {
  // 0.1 is 20 % of 0.5 and 3 % of pi; 3 is 94 % of N/2 and 95 % of pi when N = 6.4; 1 fills neither N/2 nor
  // pi.
  for (TrajectoryExtent const& extent : {reaching(0.1), reaching(2.9, 6), reaching(1), reaching(0)}) {
    Error const error = caught([&] { decided(extent); });
    EXPECT_EQ(error.kind, ErrorKind::bad_option);
    EXPECT_TRUE(mentions(error, "ambiguous"));
    EXPECT_EQ(error.hint, "name the unit: cycles_per_fov, cycles_per_voxel, radians or per_m");
  }
}

TEST(TrajectoryUnitsByEvidence, HintsNameTheCallersOption) {
  auto const hint = [](TrajectoryExtent const& extent, TrajectoryUnits asked) {
    return caught([&] { decide_trajectory_units(Context::cpu(1), extent, asked, "--its-option"); }).hint;
  };
  EXPECT_EQ(hint(reaching(0.1), TrajectoryUnits::automatic),
            "name the unit with --its-option: cycles_per_fov, cycles_per_voxel, radians or per_m");
  EXPECT_EQ(hint(reaching(64), TrajectoryUnits::radians), "name the unit with --its-option");
}

TEST(TrajectoryUnitsByEvidence, InverseMetresAreNamedButNotAssumed) {
  Error const error = caught([] { decided(reaching(64 / 0.24)); });  // N/2 cycles in 240 mm
  EXPECT_TRUE(mentions(error, "|kx| = 266.667"));
  EXPECT_TRUE(mentions(error, "probably in per_m"));
}

TEST(TrajectoryUnitsByEvidence, EvidenceIsNamed) {
  Context context = Context::cpu(1);
  std::string note;
  context.set_event_sink([&note](Event const& event) { note = event.text; });
  decide_trajectory_units(context, reaching(0.5), TrajectoryUnits::automatic);
  EXPECT_NE(note.find("trajectory in cycles_per_voxel, by evidence: largest |k| 0.5"), std::string::npos)
      << note;
  EXPECT_NE(note.find("1 in cycles_per_voxel, 0.159 in radians"), std::string::npos) << note;
}

TEST(TrajectoryUnitsAsked, WinsOverEvidence) {
  EXPECT_EQ(decided(reaching(0.5), TrajectoryUnits::cycles_per_fov), TrajectoryUnits::cycles_per_fov);
  EXPECT_EQ(decided(reaching(0.5), TrajectoryUnits::radians), TrajectoryUnits::radians);
  EXPECT_EQ(decided(reaching(200), TrajectoryUnits::per_m), TrajectoryUnits::per_m);
}

TEST(TrajectoryUnitsAsked, OutsideItsRangeNamesTheProbableUnit) {
  Error const error = caught([] { decided(reaching(64), TrajectoryUnits::cycles_per_voxel); });
  EXPECT_EQ(error.kind, ErrorKind::bad_option);
  EXPECT_TRUE(mentions(error, "|kx| = 64, outside the +-0.5 of cycles_per_voxel"));
  EXPECT_TRUE(mentions(error, "probably in cycles_per_fov"));
}

TEST(TrajectoryUnitsAsked, InverseMetresNeedTheFov) {
  Error const error = caught([] { decided(reaching(200, 128, 0), TrajectoryUnits::per_m); });
  EXPECT_TRUE(mentions(error, "give the field of view in mm"));
}

TEST(TrajectoryUnitsNames, AreReadBack) {
  for (TrajectoryUnits const units :
       {TrajectoryUnits::automatic, TrajectoryUnits::cycles_per_fov, TrajectoryUnits::cycles_per_voxel,
        TrajectoryUnits::radians, TrajectoryUnits::per_m}) {
    EXPECT_EQ(parse_trajectory_units(name(units)), units);
  }
  EXPECT_TRUE(mentions(caught([] { parse_trajectory_units("cycles"); }), "cycles_per_fov"));
}

TEST(TrajectoryUnitsFactor, TurnsTheEdgeIntoHalfTheMatrix) {
  EXPECT_DOUBLE_EQ(64 * cycles_per_fov(TrajectoryUnits::cycles_per_fov, 128, 240), 64);
  EXPECT_DOUBLE_EQ(0.5 * cycles_per_fov(TrajectoryUnits::cycles_per_voxel, 128, 240), 64);
  EXPECT_DOUBLE_EQ(std::numbers::pi * cycles_per_fov(TrajectoryUnits::radians, 128, 240), 64);
  EXPECT_DOUBLE_EQ(64 / 0.24 * cycles_per_fov(TrajectoryUnits::per_m, 128, 240), 64);
}

TEST(TrajectoryUnits, ConversionsThereAndBackLoseAtMostTwoRoundingsEachWay) {
  Matrix const matrix{192, 100, 64};
  std::array<double, 3> const fov{219, 250.5, 64};
  Trajectory t;
  t.dims = 3;
  for (int m = 0; m < 1000; ++m) {
    t.kx.push_back(96 * std::sin(m * 1.1));
    t.ky.push_back(50 * std::sin(m * 0.7));
    t.kz.push_back(32 * std::cos(m * 0.3));
  }
  auto const fov_units = TrajectoryUnits::cycles_per_fov;
  for (auto const units :
       {TrajectoryUnits::cycles_per_voxel, TrajectoryUnits::radians, TrajectoryUnits::per_m, fov_units}) {
    Trajectory const there = in_units(t, fov_units, units, matrix, fov);
    Trajectory const back = in_units(there, units, fov_units, matrix, fov);
    for (int d = 0; d < 3; ++d) {
      for (std::size_t m = 0; m < t.kx.size(); ++m) {
        EXPECT_NEAR(back[d][m], t[d][m], std::ldexp(std::abs(t[d][m]), -51)) << name(units);
      }
    }
    // 64 voxels are a power of two: nothing is rounded in cycles per voxel.
    if (units == TrajectoryUnits::cycles_per_voxel) {
      EXPECT_EQ(back.kz, t.kz);
    }
  }
  Trajectory const voxel = in_units(t, fov_units, TrajectoryUnits::cycles_per_voxel, matrix, fov);
  EXPECT_DOUBLE_EQ(voxel.kx[5], t.kx[5] / 192);
  EXPECT_DOUBLE_EQ(in_units(t, fov_units, TrajectoryUnits::radians, matrix, fov).ky[5],
                   2 * std::numbers::pi * t.ky[5] / 100);
  EXPECT_DOUBLE_EQ(in_units(t, fov_units, TrajectoryUnits::per_m, matrix, fov).kz[5], t.kz[5] / 0.064);
  EXPECT_EQ(test::refused([&] {
              in_units(t, fov_units, TrajectoryUnits::per_m, matrix, {0, 0, 0});
            }),
            "positions in cycles_per_fov cannot be given in per_m");
}

}  // namespace
}  // namespace findrho
