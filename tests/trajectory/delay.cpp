// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/delay.hpp"

#include <numbers>

#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/radial_3d.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using test::refused;

TEST(Delay, SpokesAreShiftedAlongThemselves) {
  Trajectory const t = make_radial_2d({64, 64, 1}, {.spokes = 7, .dwell_s = 4e-6});
  Trajectory const late = delayed(t, {.axis_s = {3e-6, 3e-6, 0}});
  for (std::size_t m = 0; m < t.kx.size(); ++m) {
    // One cycle per FOV each 4 us: 3/4 of a cycle back along the spoke. The dwell time comes from float times: 1e-7 of it.
    double const angle = static_cast<double>(m / 64) * std::numbers::pi / 7;
    EXPECT_NEAR(late.kx[m], t.kx[m] - 0.75 * std::cos(angle), 1e-6);
    EXPECT_NEAR(late.ky[m], t.ky[m] - 0.75 * std::sin(angle), 1e-6);
  }
  EXPECT_EQ(late.time_s, t.time_s);
}

TEST(Delay, AxesMayDiffer) {
  Trajectory const t = make_radial_3d({16, 16, 16}, {.spokes = 9});
  Trajectory const late = delayed(t, {.axis_s = {0, -2e-6, 5e-6}});
  for (std::size_t m = 16; m < 32; ++m) {
    EXPECT_EQ(late.kx[m], t.kx[m]);
    EXPECT_NEAR(late.ky[m], t.ky[m] + 0.4 * (t.ky[17] - t.ky[16]), 1e-6);
    EXPECT_NEAR(late.kz[m], t.kz[m] - (t.kz[17] - t.kz[16]), 1e-6);
  }
}

TEST(Delay, CurvesAreInterpolatedByCubics) {
  Trajectory t;
  t.samples_per_readout = 50;
  double const w = 0.2;  // radians per sample
  for (int j = 0; j < 50; ++j) {
    t.kx.push_back(std::cos(w * j));
    t.ky.push_back(std::sin(w * j));
    t.time_s.push_back(static_cast<float>(j * 1e-6));
  }
  Trajectory const late = delayed(t, {.axis_s = {0.5e-6, 0.5e-6, 0}});
  for (int j = 2; j < 48; ++j) {
    auto const m = static_cast<std::size_t>(j);
    // Half way between samples a cubic errs by 9/16 (w^4 / 24), 3/128 w^4; the dwell time by 1e-7 of it.
    EXPECT_NEAR(late.kx[m], std::cos(w * (j - 0.5)), 3.0 / 128 * w * w * w * w + 1e-6);
    EXPECT_NEAR(late.ky[m], std::sin(w * (j - 0.5)), 3.0 / 128 * w * w * w * w + 1e-6);
  }
}

TEST(Delay, RefusesWhatCannotBe) {
  Trajectory t = make_radial_2d({64, 64, 1}, {.spokes = 1});
  EXPECT_EQ(refused([&] {
              delayed(t, {.axis_s = {1, 0, 0}});
            }),
            "a delay of 1e+06 us is as long as the readout of 320 us");
  t.time_s.clear();
  EXPECT_EQ(delayed(t, {}).kx, t.kx);  // no delay needs no times
  EXPECT_EQ(refused([&] {
              delayed(t, {.axis_s = {1e-6, 0, 0}});
            }),
            "a delay needs the time from sample to sample, which is unknown");
}

}  // namespace
}  // namespace findrho
