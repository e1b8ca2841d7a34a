// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/radial_3d.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using test::radius;
using test::refused;

double degrees_between_first_spokes(Trajectory const& t) {
  auto const last = static_cast<std::size_t>(t.samples_per_readout - 1);
  auto const next = last + static_cast<std::size_t>(t.samples_per_readout);
  double const angle = (std::atan2(t.ky[next], t.kx[next]) - std::atan2(t.ky[last], t.kx[last])) * 180 / pi;
  return angle < 0 ? angle + 360 : angle;
}

TEST(Radial2d, FullSpokesRunFromEdgeToEdgeWithDcOnASample) {
  Trajectory const t = make_radial_2d({64, 64, 1});
  EXPECT_EQ(t.samples_per_readout, 64);
  EXPECT_EQ(t.size() / 64, 101);  // ceil(pi/2 64) = ceil(100.5)
  for (std::size_t m = 0; m < t.kx.size(); ++m) {
    double const j = static_cast<double>(m % 64);
    EXPECT_NEAR(radius(t, m), std::abs(j - 32), 1e-12);  // 32 cycles per FOV, a few roundings of 4e-15 each
    EXPECT_FLOAT_EQ(t.time_s[m], static_cast<float>((j - 32) * 5e-6));
  }
  EXPECT_EQ(t.kx[0], -32);
}

TEST(Radial2d, HalfSpokesStartAtTheCentre) {
  Trajectory const t = make_radial_2d({64, 64, 1}, {.kind = SpokeKind::half, .readout_oversampling = 2});
  EXPECT_EQ(t.samples_per_readout, 64);
  EXPECT_EQ(t.size() / 64, 202);  // ceil(pi 64)
  for (std::size_t m = 0; m < t.kx.size(); ++m) {
    EXPECT_NEAR(radius(t, m), 0.5 * static_cast<double>(m % 64), 1e-12);
    EXPECT_GE(t.time_s[m], 0);
  }
}

TEST(Radial2d, AnglesFollowTheirFormulas) {
  Matrix const m{32, 32, 1};
  using R = Radial2dOptions;
  EXPECT_NEAR(degrees_between_first_spokes(make_radial_2d(m, R{.spokes = 9})), 20, 1e-10);
  EXPECT_NEAR(degrees_between_first_spokes(make_radial_2d(m, R{.kind = SpokeKind::half, .spokes = 9})), 40,
              1e-10);
  // 180 / 1.6180339887; for n = 7 180 / 7.6180339887 (table 1 of Wundrak et al. prints 111.2461 and 23.6281).
  EXPECT_NEAR(degrees_between_first_spokes(make_radial_2d(m, R{.order = AngleOrder::golden})), 111.2461,
              5e-5);
  EXPECT_NEAR(
      degrees_between_first_spokes(make_radial_2d(m, R{.order = AngleOrder::golden, .golden_index = 7})),
      23.6281, 5e-5);
}

TEST(Radial2d, OtherMatricesGiveEllipsesInsideTheirEdges) {
  Matrix const matrix{64, 33, 1};
  Trajectory const t = make_radial_2d(matrix, {.undersampling = 3});
  EXPECT_EQ(t.size() / t.samples_per_readout, 34);  // ceil(100.5 / 3)
  EXPECT_LE(test::largest_over_edge(t, matrix), 1 + 1e-15);
  EXPECT_NEAR(test::largest_over_edge(t, matrix), 1, 1e-15);
}

TEST(Radial2d, RefusesWhatCannotBe) {
  Matrix const m{64, 64, 1};
  EXPECT_EQ(refused([&] { make_radial_2d(m, {.spokes = -3}); }), "the number of shots is -3");
  EXPECT_EQ(refused([&] { make_radial_2d(m, {.samples_per_spoke = -1}); }),
            "the number of samples per shot is -1");
  EXPECT_EQ(refused([&] { make_radial_2d(m, {.golden_index = 0}); }), "the golden index is 0");
  EXPECT_EQ(refused([&] { make_radial_2d(m, {.undersampling = 0}); }), "the undersampling is 0");
  EXPECT_EQ(refused([&] {
              make_radial_2d({64, 64, 8});
            }),
            "a 2D radial trajectory has 2 dimensions, the matrix is 64 x 64 x 8");
  EXPECT_EQ(refused([&] { make_radial_2d(m, {.spokes = 1 << 20, .samples_per_spoke = 1 << 20}); }),
            "1048576 readouts of 1048576 samples are too many");
}

/// Mean of the products of two coordinates over all spoke ends, taken on the unit sphere.
std::array<double, 6> second_moments(Trajectory const& t, double edge) {
  std::array<double, 6> mean{};
  std::int64_t const s = t.samples_per_readout;
  double const spokes = static_cast<double>(t.size() / s);
  for (std::int64_t m = s - 1; m < t.size(); m += s) {
    auto const i = static_cast<std::size_t>(m);
    double const x = t.kx[i] / edge, y = t.ky[i] / edge, z = t.kz[i] / edge;
    double const products[] = {x * x, y * y, z * z, x * y, y * z, z * x};
    for (std::size_t p = 0; p < 6; ++p) mean[p] += products[p] / spokes;
  }
  return mean;
}

TEST(Radial3d, SpokesCoverTheSphereEvenly) {
  Matrix const matrix{16, 16, 16};
  for (SpokeKind const kind : {SpokeKind::full, SpokeKind::half}) {
    for (SphereOrder const order : {SphereOrder::golden_means, SphereOrder::spiral}) {
      Trajectory const t = make_radial_3d(matrix, {.kind = kind, .order = order});
      bool const full = kind == SpokeKind::full;
      EXPECT_EQ(t.size() / t.samples_per_readout, full ? 403 : 805);  // ceil(pi/2 256), ceil(pi 256)
      // Evenly spread directions have <x_i x_j> = delta_ij / 3. Points of spacing sqrt(4 pi / n) integrate a
      // quadratic to better than a few per cent of one spacing squared, 4 pi / 806 = 0.016.
      auto const moment = second_moments(t, radius(t, static_cast<std::size_t>(t.samples_per_readout - 1)));
      for (std::size_t p = 0; p < 6; ++p) EXPECT_NEAR(moment[p], p < 3 ? 1.0 / 3 : 0.0, 0.01);
      EXPECT_LE(test::largest_over_edge(t, matrix), 1 + 1e-15);
    }
  }
}

TEST(Radial3d, GoldenMeansFollowChan) {
  Trajectory const t = make_radial_3d({16, 16, 16}, {.spokes = 3});
  std::size_t const end = 2 * 16;  // sample 0 of spoke 2 lies at -8 times its direction
  EXPECT_NEAR(t.kz[end] / -8, 2 * 0.46557123, 1e-8);
  double const azimuth = std::atan2(-t.ky[end], -t.kx[end]) / (2 * pi);
  EXPECT_NEAR(azimuth, 2 * 0.68232780 - 1, 2e-8);  // constants of the paper to eight digits, doubled
}

TEST(Radial3d, RefusesA2dMatrix) {
  EXPECT_EQ(refused([] {
              make_radial_3d({64, 64, 1});
            }),
            "a 3D radial trajectory has 3 dimensions, the matrix is 64 x 64 x 1");
  EXPECT_EQ(refused([] {
              make_radial_3d({8, 8, 8}, {.readout_oversampling = -2});
            }),
            "the readout oversampling is -2");
}

}  // namespace
}  // namespace findrho
