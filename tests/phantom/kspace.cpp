// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/phantom/phantom.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using testing::Complex;
using testing::gauss_legendre;
using testing::Point;
using testing::trajectory;

/// sum_n image_n exp(-i 2 pi k . r_n), the exact sum.
Complex exact_sum(View<Complex const> image, Matrix const& m, Point const& k) {
  Complex sum = 0;
  for (std::int64_t n = 0; n < image.size(); ++n) {
    if (image[n] == 0.0) continue;
    double phase = 0;
    std::int64_t const index[] = {n % m.x, n / m.x % m.y, n / m.x / m.y};
    for (int d = 0; d < 3; ++d) {
      double const r = static_cast<double>(index[d] - m[d] / 2) / static_cast<double>(m[d]);
      phase -= 2 * pi * k[static_cast<std::size_t>(d)] * r;
    }
    sum += image[n] * std::polar(1.0, phase);
  }
  return sum;
}

double sinc(double x) {
  return x == 0 ? 1 : std::sin(pi * x) / (pi * x);
}

/// Response of the average over `lines` points in a voxel (0: over the whole voxel) to u cycles per voxel.
double average_response(double u, int lines) {
  if (lines == 0) return sinc(u);
  double const s = lines * std::sin(pi * u / lines);
  return std::abs(s) < 1e-12 ? 1 : std::sin(pi * u) / s;
}

/// Sampling voxel averages at N points repeats the spectrum at every j N: their exact sum is
///   sum_j prod N rho^(k + j N) prod_d response_d((k + j N) / N).
/// This bounds the terms j != 0 through |rho^| of each ellipsoid, at a distance kappa = |diag(a) R^T k|:
///   disc: |J_1(q)| <= sqrt(2 / (pi q)) (q > 1) gives prod(a) / (pi kappa^1.5); ball: 4 pi prod(a) (1 + 1/q)
///   / q^2
/// with q = 2 pi kappa >= 2 pi min(a) |k|. Doubled for j beyond the lattice that is summed, whose terms fall
/// faster than 1/j^1.5 and only every 8th of which is not suppressed by the responses.
double aliasing_bound(Phantom const& phantom, Matrix const& m, Point const& k) {
  int const reach = phantom.dims == 2 ? 40 : 12;
  double bound = 0;
  for (int jz = phantom.dims == 3 ? -reach : 0; jz <= (phantom.dims == 3 ? reach : 0); ++jz) {
    for (int jy = -reach; jy <= reach; ++jy) {
      for (int jx = -reach; jx <= reach; ++jx) {
        if (jx == 0 && jy == 0 && jz == 0) continue;
        int const j[] = {jx, jy, jz};
        double length_sq = 0, response = 1;
        for (int d = 0; d < phantom.dims; ++d) {
          double const n = static_cast<double>(m[d]), shifted = k[static_cast<std::size_t>(d)] + j[d] * n;
          length_sq += shifted * shifted;
          response *= std::abs(average_response(shifted / n, d == 0 ? 0 : 8));
        }
        for (Solid const& e : phantom.solids) {
          double smallest = 1, product = 1;
          for (std::size_t d = 0; d < static_cast<std::size_t>(phantom.dims); ++d) {
            smallest = std::min(smallest, e.semi_axis[d]);
            product *= e.semi_axis[d];
          }
          double const kappa = smallest * std::sqrt(length_sq), q = 2 * pi * kappa;
          double const largest = phantom.dims == 2 ? product / (pi * std::pow(kappa, 1.5))
                                                   : 4 * pi * product * (1 + 1 / q) / (q * q);
          bound += std::abs(e.density) * largest * response;
        }
      }
    }
  }
  return 2 * bound * static_cast<double>(m.voxels());
}

void expect_agreement_with_voxels(Matrix const& matrix, std::vector<Point> const& points,
                                  double at_most_relative) {
  Context const context = Context::cpu(2);
  for (auto const contrast : {SheppLoganContrast::original, SheppLoganContrast::modified}) {
    Phantom const phantom = shepp_logan(matrix.dims(), contrast);
    auto const image = phantom_image(context, phantom, matrix);
    auto const samples = phantom_samples(context, phantom, matrix, trajectory(matrix.dims(), points));
    for (std::size_t i = 0; i < points.size(); ++i) {
      double response = 1;
      for (int d = 0; d < matrix.dims(); ++d) {
        response *= average_response(points[i][static_cast<std::size_t>(d)] / static_cast<double>(matrix[d]),
                                     d == 0 ? 0 : 8);
      }
      Complex const closed = samples[static_cast<std::int64_t>(i)] * response;
      double const bound = aliasing_bound(phantom, matrix, points[i]);
      EXPECT_LE(std::abs(closed - exact_sum(image, matrix, points[i])), bound);
      EXPECT_LE(bound, at_most_relative * std::abs(samples[0]));  // the bound says something
    }
  }
}

TEST(PhantomSamples, AgreeWithTheExactSumOverFineVoxels2d) {
  expect_agreement_with_voxels(
      {512, 384, 1}, {{0, 0, 0}, {1, 0, 0}, {0, 1.5, 0}, {2.25, -3.75, 0}, {-11, 7, 0}, {5, 16, 0}}, 3e-3);
}

TEST(PhantomSamples, AgreeWithTheExactSumOverFineVoxels3d) {
  expect_agreement_with_voxels(
      {96, 80, 64}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, -1.5, 0.75}, {-3, 2, 3}}, 5e-2);
}

/// int over the unit disc or ball of f, by Gauss-Legendre in radius and height and equal steps in azimuth.
template <class F>
Complex integrate_unit_ball(int dims, F const& f) {
  constexpr int kAzimuths = 64;
  auto const rule = gauss_legendre(32);
  Complex sum = 0;
  for (auto const& [u, wu] : rule) {
    double const r = 0.5 * (u + 1), w_radius = 0.5 * wu * (dims == 2 ? r : r * r);
    for (int i = 0; i < kAzimuths; ++i) {
      double const a = 2 * pi * i / kAzimuths, w = w_radius * 2 * pi / kAzimuths;
      if (dims == 2) {
        sum += w * f(Point{r * std::cos(a), r * std::sin(a), 0});
        continue;
      }
      for (auto const& [z, wz] : rule) {
        double const s = std::sqrt(1 - z * z);
        sum += w * wz * f(Point{r * s * std::cos(a), r * s * std::sin(a), r * z});
      }
    }
  }
  return sum;
}

TEST(PhantomSamples, SeenThroughCoilsAgreeWithQuadrature) {
  Context const context = Context::cpu(1);
  for (int const dims : {2, 3}) {
    Matrix const matrix{16, 12, dims == 3 ? 10 : 1};
    Solid const e{
        .density = 1.7, .center = {0.08, -0.11, 0.05}, .semi_axis = {0.3, 0.17, 0.22}, .rotation_rad = 0.7};
    CoilSet const coils = make_coils(dims, 3);
    std::vector<Point> const points{
        {0, 0, 0}, {0.3, 0.1, -0.2}, {1.5, -2, 0.7}, {-4, 3.3, 2.5}, {7.5, -5.5, -4.5}};
    auto const samples = phantom_samples(context, {dims, {e}}, matrix, trajectory(dims, points), coils);
    double volume = e.density * static_cast<double>(matrix.voxels());
    for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) volume *= e.semi_axis[d];

    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::int64_t c = 0; c < coils.coils(); ++c) {
        Complex const expected =
            volume * integrate_unit_ball(dims, [&](Point const& x) {
              double const u = e.semi_axis[0] * x[0], v = e.semi_axis[1] * x[1];
              double const co = std::cos(e.rotation_rad), si = std::sin(e.rotation_rad);
              Point const r{e.center[0] + u * co - v * si, e.center[1] + u * si + v * co,
                            dims == 3 ? e.center[2] + e.semi_axis[2] * x[2] : 0};
              double const phase =
                  -2 * pi *
                  (points[i][0] * r[0] + points[i][1] * r[1] + (dims == 3 ? points[i][2] * r[2] : 0));
              return testing::sensitivity(coils, static_cast<std::size_t>(c), r) * std::polar(1.0, phase);
            });
        // The integrand turns by at most 2 pi 0.3 9 = 17 rad per radius: 32 Gauss points and 64 azimuths
        // integrate that to rounding (the error of 32 points falls below 1e-16 once the phase is below about
        // 25 rad).
        Complex const got =
            samples[c * static_cast<std::int64_t>(points.size()) + static_cast<std::int64_t>(i)];
        EXPECT_LE(std::abs(got - expected), 1e-11 * std::abs(samples[0]))
            << dims << "D, point " << i << ", coil " << c;
      }
    }
  }
}

TEST(PhantomSamples, DoNotDependOnTheThreads) {
  Matrix const matrix{32, 32, 32};
  Trajectory t;
  t.dims = 3;
  for (int m = 0; m < 5001; ++m) {
    for (int d = 0; d < 3; ++d) t[d].push_back(16 * std::sin(m * (d + 1.3)));
  }
  Phantom const phantom = shepp_logan(3);
  CoilSet const coils = make_coils(3, 2);
  auto const one = phantom_samples(Context::cpu(1), phantom, matrix, t, coils);
  auto const three = phantom_samples(Context::cpu(3), phantom, matrix, t, coils);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), three.begin(), three.end()));
}

TEST(PhantomSamples, RefuseWhatDoesNotFit) {
  Context const context = Context::cpu(1);
  auto const kind = [](auto const& call) {
    try {
      call();
    } catch (Error const& error) {
      return error.kind;
    }
    return ErrorKind::cancelled;
  };
  Trajectory const planar = trajectory(2, {{0, 0, 0}});
  EXPECT_EQ(kind([&] { phantom_samples(context, shepp_logan(3), {8, 8, 8}, planar); }), ErrorKind::bad_shape);
  EXPECT_EQ(kind([&] { phantom_samples(context, shepp_logan(2), {8, 8, 8}, planar); }), ErrorKind::bad_shape);
  Phantom flat = shepp_logan(2);
  flat.solids[3].semi_axis[1] = 0;
  EXPECT_EQ(kind([&] { phantom_samples(context, flat, {8, 8, 1}, planar); }), ErrorKind::bad_option);
  EXPECT_EQ(kind([&] { phantom_image(context, flat, {8, 8, 1}); }), ErrorKind::bad_option);
}

}  // namespace
}  // namespace findrho
