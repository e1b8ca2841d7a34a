// SPDX-License-Identifier: BSD-3-Clause
// Boxes and cylinders: voxel averages and k-space against formulas and quadrature; signals that change with time.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using testing::Complex;
using testing::Point;
using testing::trajectory;

Context const context = Context::cpu(2);

double sinc(double x) {
  return x == 0 ? 1 : std::sin(pi * x) / (pi * x);
}

TEST(Solids, ABoxIsAProductOfSincs) {
  Solid const box{
      .shape = SolidShape::box, .density = 2, .center = {0.1, -0.05, 0.2}, .semi_axis = {0.2, 0.1, 0.15}};
  std::vector<Point> const points{{0, 0, 0}, {1, 2, 3}, {-7.5, 3.25, 0.5}, {20, -20, 11}};
  for (int const dims : {2, 3}) {
    Matrix const matrix{64, 48, dims == 3 ? 32 : 1};
    auto const samples = phantom_samples(context, {dims, {box}}, matrix, trajectory(dims, points));
    for (std::size_t i = 0; i < points.size(); ++i) {
      Complex expected = 2.0 * static_cast<double>(matrix.voxels());
      for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) {
        double const length = 2 * box.semi_axis[d];
        expected *= std::polar(length * sinc(points[i][d] * length), -2 * pi * points[i][d] * box.center[d]);
      }
      EXPECT_NEAR(std::abs(samples[static_cast<std::int64_t>(i)] - expected), 0, 1e-12 * samples[0].real());
    }
  }
}

TEST(Solids, ACylinderIsAJincTimesASinc) {
  Solid const rod{.shape = SolidShape::cylinder, .semi_axis = {0.1, 0.1, 0.3}};
  std::vector<Point> const points{{0, 0, 0}, {3, 4, 0}, {6, -8, 1.25}, {0, 0, 5.5}};
  Matrix const matrix{64, 64, 64};
  auto const samples = phantom_samples(context, {3, {rod}}, matrix, trajectory(3, points));
  for (std::size_t i = 0; i < points.size(); ++i) {
    double const q = 2 * pi * 0.1 * std::hypot(points[i][0], points[i][1]);
    double const disc = q == 0 ? pi * 0.01 : pi * 0.01 * 2 * std::cyl_bessel_j(1, q) / q;
    double const expected = static_cast<double>(matrix.voxels()) * disc * 0.6 * sinc(0.6 * points[i][2]);
    EXPECT_NEAR(std::abs(samples[static_cast<std::int64_t>(i)] - expected), 0, 1e-12 * samples[0].real());
  }
}

/// int over the unit cube or cylinder of f by 32 Gauss points along each straight axis and 64 azimuths.
template <class F>
Complex integrate(SolidShape shape, int dims, F const& f) {
  auto const rule = testing::gauss_legendre(32);
  std::vector<std::pair<Point, double>> base;
  for (auto const& [u, wu] : rule) {
    if (shape == SolidShape::box) {
      for (auto const& [v, wv] : rule) base.push_back({{u, v, 0}, wu * wv});
    } else {
      double const r = 0.5 * (u + 1);
      for (int i = 0; i < 64; ++i) {
        base.push_back(
            {{r * std::cos(2 * pi * i / 64), r * std::sin(2 * pi * i / 64), 0}, 0.5 * wu * r * 2 * pi / 64});
      }
    }
  }
  Complex sum = 0;
  for (auto const& [x, w] : base) {
    if (dims == 2) {
      sum += w * f(x);
      continue;
    }
    for (auto const& [z, wz] : rule) sum += w * wz * f(Point{x[0], x[1], z});
  }
  return sum;
}

TEST(Solids, SeenThroughCoilsAgreeWithQuadrature) {
  std::vector<Point> const points{{0, 0, 0}, {0.3, 0.1, -0.2}, {1.5, -2, 0.7}, {7.5, -5.5, -4.5}};
  for (auto const shape : {SolidShape::box, SolidShape::cylinder}) {
    for (int const dims : {2, 3}) {
      Matrix const matrix{16, 12, dims == 3 ? 10 : 1};
      Solid const s{.shape = shape,
                    .density = 1.7,
                    .center = {0.08, -0.11, 0.05},
                    .semi_axis = {0.3, 0.17, 0.22},
                    .rotation_rad = 0.7};
      CoilSet const coils = make_coils(dims, 3);
      auto const samples = phantom_samples(context, {dims, {s}}, matrix, trajectory(dims, points), coils);
      double volume = s.density * static_cast<double>(matrix.voxels());
      for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) volume *= s.semi_axis[d];
      for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
          Complex const expected =
              volume * integrate(shape, dims, [&](Point const& x) {
                double const u = s.semi_axis[0] * x[0], v = s.semi_axis[1] * x[1];
                double const co = std::cos(s.rotation_rad), si = std::sin(s.rotation_rad);
                Point const r{s.center[0] + u * co - v * si, s.center[1] + u * si + v * co,
                              dims == 3 ? s.center[2] + s.semi_axis[2] * x[2] : 0};
                double const turns =
                    points[i][0] * r[0] + points[i][1] * r[1] + (dims == 3 ? points[i][2] * r[2] : 0);
                return testing::sensitivity(coils, c, r) * std::polar(1.0, -2 * pi * turns);
              });
          // At most 2 pi 0.34 9 = 20 rad from the middle to the edge: 32 Gauss points integrate that to rounding.
          Complex const got = samples[static_cast<std::int64_t>(c * points.size() + i)];
          EXPECT_LE(std::abs(got - expected), 1e-11 * std::abs(samples[0])) << dims << "D, point " << i;
        }
      }
    }
  }
}

TEST(Solids, VoxelsOfAnUprightBoxAreExact) {
  Matrix const matrix{10, 8, 6};
  Solid const box{
      .shape = SolidShape::box, .density = 3, .center = {0.03, -0.1, 0.07}, .semi_axis = {0.21, 0.17, 0.3}};
  auto const image = phantom_image(context, {3, {box}}, matrix);
  for (std::int64_t n = 0; n < image.size(); ++n) {
    std::int64_t const index[] = {n % 10, n / 10 % 8, n / 80};
    double filled = 3;
    for (int d = 0; d < 3; ++d) {
      auto const e = static_cast<std::size_t>(d);
      double const size = static_cast<double>(matrix[d]),
                   middle = static_cast<double>(index[d] - matrix[d] / 2) / size;
      double const low = std::max(middle - 0.5 / size, box.center[e] - box.semi_axis[e]);
      double const high = std::min(middle + 0.5 / size, box.center[e] + box.semi_axis[e]);
      filled *= std::max(0.0, high - low) * size;
    }
    EXPECT_NEAR(image[n].real(), filled, 1e-14 * 3 * 10);  // a row's running sum of up to ten voxels
  }
}

TEST(Solids, ARotatedBoxAndACylinderKeepTheirVolume) {
  Matrix const matrix{40, 40, 12};
  Solid const box{.shape = SolidShape::box, .semi_axis = {0.3, 0.1, 0.21}, .rotation_rad = 0.4};
  Solid const rod{.shape = SolidShape::cylinder, .center = {0.1, 0, 0.02}, .semi_axis = {0.2, 0.2, 0.33}};
  std::pair<Solid, double> const cases[] = {{box, 0.6 * 0.2 * 0.42}, {rod, pi * 0.04 * 0.66}};
  for (auto const& [solid, volume] : cases) {
    auto const image = phantom_image(context, {3, {solid}}, matrix);
    double sum = 0;
    for (auto const& v : image) sum += v.real();
    // Chords are summed over lines of spacing h = 1/320, the midpoint rule. The box's chord rises by 1/(sin cos) of its
    // angle between two of its four corners, each of which errs by at most h^2/8 of the change of slope. The rod's chord
    // ends in 2 sqrt(2 r y) twice: what the last line stands for, int_0^h, errs by less than all of it, 4/3 sqrt(2 r) h^1.5.
    double const h = 1.0 / 320, depth = 2 * solid.semi_axis[2];
    double const bound = solid.shape == SolidShape::box ? 4 * h * h / 8 / (std::sin(0.4) * std::cos(0.4))
                                                        : 2 * 4.0 / 3 * std::pow(h, 1.5) * std::sqrt(2 * 0.2);
    EXPECT_NEAR(sum / static_cast<double>(matrix.voxels()), volume, bound * depth);
  }
}

TEST(Solids, SignalsDecayAndTurnWithTheSamplesTimes) {
  Solid a{.semi_axis = {0.3, 0.2, 0.1}},
      b{.shape = SolidShape::box, .center = {0.1, 0.2, 0}, .semi_axis = {0.1, 0.1, 0.1}};
  Trajectory t = trajectory(2, {{0, 0, 0}, {3, 1, 0}, {-4.5, 2, 0}, {1, -6, 0}});
  t.time_s = {-0.002F, 0.0F, 0.004F, 0.011F};
  Matrix const matrix{32, 32, 1};
  auto const still_a = phantom_samples(context, {2, {a}}, matrix, t);
  auto const still_b = phantom_samples(context, {2, {b}}, matrix, t);
  a.frequency_hz = -35;
  a.decay = {.t2star_s = 0.02};
  b.decay = {.t2star_s = 0.03, .second_t2star_s = 0.003, .second_part = 0.6};
  auto const samples = phantom_samples(context, {2, {a, b}}, matrix, t);
  for (std::int64_t m = 0; m < 4; ++m) {
    double const time = t.time_s[static_cast<std::size_t>(m)];
    Complex const expected = still_a[m] * std::polar(std::exp(-time / 0.02), -2 * pi * 35 * time) +
                             still_b[m] * (0.4 * std::exp(-time / 0.03) + 0.6 * std::exp(-time / 0.003));
    EXPECT_NEAR(std::abs(samples[m] - expected), 0, 1e-12 * std::abs(samples[0]));
  }
  t.time_s.clear();
  EXPECT_EQ(testing::refusal([&] {
              phantom_samples(context, {2, {a}}, matrix, t);
            }),
            "the signal changes during the readout, but the samples' times are unknown");
}

TEST(Solids, RefuseADecayThatCannotBe) {
  Solid solid;
  solid.decay.t2star_s = -0.001;
  EXPECT_EQ(testing::refusal([&] { phantom_image(context, {2, {solid}}, {8, 8, 1}); }), "T2* is -1 ms");
  solid.decay = {.t2star_s = 1, .second_t2star_s = 1, .second_part = 1.5};
  EXPECT_EQ(testing::refusal([&] {
              phantom_image(context, {2, {solid}}, {8, 8, 1});
            }),
            "the second T2* has a part of 1.5");
}

}  // namespace
}  // namespace findrho
