// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/cartesian.hpp"

#include <set>

#include "support.hpp"

namespace findrho {
namespace {

using test::refused;

TEST(Cartesian, VisitsEveryIntegerPositionOnce) {
  Matrix const matrix{6, 5, 3};
  Trajectory const t = make_cartesian(matrix);
  std::set<std::array<double, 3>> seen;
  for (std::size_t m = 0; m < t.kx.size(); ++m) seen.insert({t.kx[m], t.ky[m], t.kz[m]});
  EXPECT_EQ(t.size(), matrix.voxels());
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), matrix.voxels());
  EXPECT_EQ(*seen.begin(), (std::array<double, 3>{-3, -2, -1}));
  EXPECT_EQ(*seen.rbegin(), (std::array<double, 3>{2, 2, 1}));
}

TEST(Cartesian, AccelerationKeepsTheCentreAndTheCalibrationLines) {
  Trajectory const t = make_cartesian({8, 12, 1}, {.acceleration = 4, .calibration_lines = 3});
  std::set<double> const lines(t.ky.begin(), t.ky.end());
  EXPECT_EQ(lines, (std::set<double>{-4, -1, 0, 1, 4}));
  EXPECT_EQ(t.size(), 5 * 8);
}

TEST(Cartesian, CalibrationIn3dIsABlock) {
  Trajectory const t =
      make_cartesian({2, 8, 8}, {.acceleration = 2, .acceleration_z = 2, .calibration_lines = 4});
  // 4 x 4 regular lines; the block -2..1 squared has 16 lines of which the 2 x 2 even ones are regular.
  EXPECT_EQ(t.size(), 2 * (16 + 16 - 4));
}

TEST(Cartesian, TimesAreZeroAtDc) {
  Trajectory const t = make_cartesian({8, 2, 1}, {.dwell_s = 1e-5});
  for (std::size_t m = 0; m < t.kx.size(); ++m)
    EXPECT_FLOAT_EQ(t.time_s[m], static_cast<float>(t.kx[m] * 1e-5));
}

TEST(Cartesian, RefusesWhatCannotBe) {
  EXPECT_EQ(refused([] { make_cartesian({8, 8, 1}, {.acceleration = 0}); }), "the undersampling is 0");
  EXPECT_EQ(refused([] {
              make_cartesian({8, 8, 1}, {.acceleration = 9});
            }),
            "undersampling by 9 x 1 exceeds the 8 x 1 lines");
  EXPECT_EQ(refused([] {
              make_cartesian({8, 8, 1}, {.calibration_lines = -1});
            }),
            "the number of calibration lines is -1");
  EXPECT_EQ(refused([] { make_cartesian({8, 0, 1}); }), "the matrix is 8 x 0 x 1");
  EXPECT_EQ(refused([] { make_cartesian({8, 8, 1}, {.dwell_s = -1}); }), "the dwell time is -1e+06 us");
}

}  // namespace
}  // namespace findrho
