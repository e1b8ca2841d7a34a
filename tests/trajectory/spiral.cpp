// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include "findrho/trajectory/spiral_2d.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using test::radius;
using test::refused;

double distance(Trajectory const& t, std::size_t a, std::size_t b) {
  return std::hypot(t.kx[a] - t.kx[b], t.ky[a] - t.ky[b]);
}

TEST(Spiral2d, RadiusIsProportionalToAngleWithNyquistTurns) {
  for (SpiralSpeed const speed : {SpiralSpeed::constant_angular, SpiralSpeed::constant_linear}) {
    for (double const undersampling : {1.0, 2.0}) {
      Trajectory const t =
          make_spiral_2d({64, 64, 1}, {.interleaves = 4, .speed = speed, .undersampling = undersampling});
      // One turn of an interleave moves out by `undersampling` for each of the 4 interleaves.
      double const pitch = 4 * undersampling / (2 * pi);
      double turned = 0;
      for (std::size_t m = 2; m < static_cast<std::size_t>(t.samples_per_readout); ++m) {
        double const step = std::atan2(t.kx[m - 1] * t.ky[m] - t.ky[m - 1] * t.kx[m],
                                       t.kx[m - 1] * t.kx[m] + t.ky[m - 1] * t.ky[m]);
        turned += step;
        EXPECT_NEAR(radius(t, m) - radius(t, 1), pitch * turned, 1e-10);
      }
      EXPECT_LT(test::largest_over_edge(t, {64, 64, 1}), 1);
    }
  }
}

TEST(Spiral2d, ConstantLinearSamplesAreEquidistant) {
  Trajectory const t = make_spiral_2d({64, 64, 1}, {.interleaves = 8});
  for (std::size_t m = 1; m < static_cast<std::size_t>(t.samples_per_readout); ++m) {
    // An arc of length h <= 1 and curvature c <= 2 pi/8 * 2 (at the centre r = theta 8/(2 pi)) has a chord of
    // h (1 - (h c)^2 / 24) >= 0.89 h.
    EXPECT_LE(distance(t, m, m - 1), 1 + 1e-9);
    EXPECT_GE(distance(t, m, m - 1), 0.89 * 0.995);  // ceil() makes h a little less than 1: 1 - 1/402
  }
}

TEST(Spiral2d, ConstantAngularSamplesMeetNyquistAtTheEdge) {
  Trajectory const t = make_spiral_2d(
      {64, 64, 1}, {.interleaves = 8, .speed = SpiralSpeed::constant_angular, .readout_oversampling = 2});
  auto const last = static_cast<std::size_t>(t.samples_per_readout - 1);
  EXPECT_LE(distance(t, last, last - 1), 0.5 + 1e-12);
  EXPECT_GE(distance(t, last, last - 1), 0.49);
}

TEST(Spiral2d, InterleavesAreRotatedCopies) {
  Trajectory const t = make_spiral_2d({32, 32, 1}, {.interleaves = 4, .samples_per_interleave = 50});
  for (std::size_t j = 0; j < 50; ++j) {
    EXPECT_NEAR(t.kx[50 + j], -t.ky[j], 1e-12);
    EXPECT_NEAR(t.ky[50 + j], t.kx[j], 1e-12);
    EXPECT_FLOAT_EQ(t.time_s[50 + j], static_cast<float>(j) * 5e-6F);
  }
}

TEST(Spiral2d, RefusesWhatCannotBe) {
  Matrix const m{64, 64, 1};
  EXPECT_EQ(refused([&] { make_spiral_2d(m, {.interleaves = 0}); }), "the number of shots is 0");
  EXPECT_EQ(refused([&] { make_spiral_2d(m, {.samples_per_interleave = -5}); }),
            "the number of samples per shot is -5");
  EXPECT_EQ(refused([&] { make_spiral_2d(m, {.undersampling = -1}); }), "the undersampling is -1");
  EXPECT_NE(refused([&] { make_spiral_2d(m, {.undersampling = 1e-12}); }).find("are too many"),
            std::string::npos);
  // Refused before anything is computed: the angles of one interleaf alone would be 32 TiB.
  EXPECT_EQ(refused([&] { make_spiral_2d(m, {.samples_per_interleave = std::int64_t{1} << 42}); }),
            "16 readouts of 4398046511104 samples are too many");
}

}  // namespace
}  // namespace findrho
