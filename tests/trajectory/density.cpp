// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/density.hpp"

#include <complex>
#include <fstream>
#include <numbers>

#include "findrho/trajectory/adapted_radial.hpp"
#include "findrho/trajectory/cartesian.hpp"
#include "findrho/trajectory/cones.hpp"
#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/radial_3d.hpp"
#include "findrho/trajectory/rosette.hpp"
#include "findrho/trajectory/spiral_2d.hpp"
#include "findrho/trajectory/spiral_vd.hpp"
#include "findrho/trajectory/stack.hpp"
#include "findrho/trajectory/twisted.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using test::radius;
using test::sum;

constexpr double kGaussWidth =
    0.08;  // FOV; e^-129 is left at |k| = 32, so cutting k-space there costs nothing

double gauss(double x, double y) {
  return std::exp(-0.5 * (x * x + y * y) / (kGaussWidth * kGaussWidth));
}

/// prod N int rho exp(-i 2 pi k r) dr of the Gaussian.
double gauss_sample(double k, Matrix const& matrix) {
  double const s_sq = kGaussWidth * kGaussWidth;
  return static_cast<double>(matrix.x * matrix.y) * 2 * pi * s_sq * std::exp(-2 * pi * pi * s_sq * k * k);
}

/// sum_m w_m d_m exp(+i 2 pi k_m . r), the weighted adjoint at one point.
double weighted_adjoint(Trajectory const& t, Matrix const& matrix, double x, double y) {
  auto const weights = analytic_density(t, matrix);
  double value = 0;
  for (std::size_t m = 0; m < weights.size(); ++m) {
    value += weights[m] * gauss_sample(radius(t, m), matrix) * std::cos(2 * pi * (t.kx[m] * x + t.ky[m] * y));
  }
  return value;
}

std::string method(Trajectory const& t, Matrix const& matrix) {
  auto const density = analytic_density_if_known(t, matrix);
  return density ? density->method : "unknown";
}

TEST(Density, CartesianCellsAreEqualAndSharedByRepeats) {
  Matrix const matrix{8, 6, 1};
  Trajectory t = make_cartesian(matrix);
  for (double const w : analytic_density(t, matrix)) EXPECT_DOUBLE_EQ(w, 1.0 / 48);
  t.kx.push_back(t.kx[5]);
  t.ky.push_back(t.ky[5]);
  auto const weights = analytic_density(t, matrix);
  EXPECT_DOUBLE_EQ(weights[5], 0.5 / 48);
  EXPECT_DOUBLE_EQ(weights.back(), 0.5 / 48);
  EXPECT_NEAR(sum(weights), 1, 1e-12);
  EXPECT_EQ(method(t, matrix), "analytic Cartesian");
}

TEST(Density, RadialWeightsSumToTheDisc) {
  Matrix const matrix{64, 64, 1};
  for (auto const order : {AngleOrder::linear, AngleOrder::golden}) {
    for (std::int64_t const spokes : {7, 25, 101}) {
      // Every full ring ends half a sample spacing beyond its samples: at 32.5 on one side, 31.5 on the
      // other, and with the spoke's two rays equally wide (they are opposite) the mean of both areas is
      // covered.
      double const full = 0.5 * pi * (32.5 * 32.5 + 31.5 * 31.5) / (64 * 64);
      Trajectory const t = make_radial_2d(matrix, {.order = order, .spokes = spokes});
      EXPECT_NEAR(sum(analytic_density(t, matrix)), full, 1e-12);
      double const half = pi * 31.5 * 31.5 / (64 * 64);
      Trajectory const h =
          make_radial_2d(matrix, {.kind = SpokeKind::half, .order = order, .spokes = spokes});
      EXPECT_NEAR(sum(analytic_density(h, matrix)), half, 1e-12);
    }
  }
}

TEST(Density, RadialWeightsAreTheRampAndTheCentralDisc) {
  Matrix const matrix{64, 64, 1};
  Trajectory const t = make_radial_2d(matrix, {.spokes = 20});
  auto const weights = analytic_density(t, matrix);
  double const cycles = 64 * 64;
  for (std::size_t m = 0; m < weights.size(); ++m) {
    double const r = radius(t, m);
    // A ring from r - 1/2 to r + 1/2 has the area 2 pi r, shared by 40 rays; the disc of radius 1/2 by 20
    // spokes.
    EXPECT_NEAR(weights[m] * cycles, r > 0.5 ? 2 * pi * r / 40 : pi / 4 / 20, 1e-9);
  }
  EXPECT_EQ(method(t, matrix), "analytic radial 2D, 20 full spokes");
}

TEST(Density, RepeatedSpokesShare) {
  Matrix const matrix{32, 32, 1};
  Trajectory t = make_radial_2d(matrix, {.spokes = 10});
  double const once = sum(analytic_density(t, matrix));
  for (int d = 0; d < 2; ++d) t[d].insert(t[d].end(), t[d].begin(), t[d].begin() + 32);
  auto const weights = analytic_density(t, matrix);
  EXPECT_NEAR(sum(weights), once, 1e-12);
  for (std::size_t j = 0; j < 32; ++j) EXPECT_NEAR(weights[j], weights[320 + j], 1e-15);
}

TEST(Density, InwardHalfSpokesEqualOutwardOnes) {
  Matrix const matrix{32, 32, 1};
  Trajectory const out = make_radial_2d(matrix, {.kind = SpokeKind::half, .spokes = 11});
  Trajectory in = out;
  for (int d = 0; d < 2; ++d) std::reverse(in[d].begin(), in[d].end());
  auto a = analytic_density(out, matrix), b = analytic_density(in, matrix);
  std::reverse(b.begin(), b.end());
  for (std::size_t m = 0; m < a.size(); ++m) EXPECT_NEAR(a[m], b[m], 1e-15);
  EXPECT_EQ(method(in, matrix), "analytic radial 2D, 11 half spokes");
}

TEST(Density, Radial3dWeightsSumToTheBall) {
  Matrix const matrix{32, 32, 16};
  Trajectory const full = make_radial_3d(matrix, {.order = SphereOrder::spiral});
  Trajectory const half = make_radial_3d(matrix, {.kind = SpokeKind::half});
  double const unit = 4 * pi / 3 / 8;  // ball of radius 1 in the cube -1..1
  double const outer = std::pow(16.5 / 16, 3), inner = std::pow(15.5 / 16, 3);
  EXPECT_NEAR(sum(analytic_density(full, matrix)), unit * 0.5 * (outer + inner), 1e-12);
  EXPECT_NEAR(sum(analytic_density(half, matrix)), unit * inner, 1e-12);
  EXPECT_EQ(method(half, matrix), "analytic radial 3D, 3217 half spokes");
}

TEST(Density, SpiralWeightsAreTheJacobianAndSumToTheDisc) {
  Matrix const matrix{64, 64, 1};
  for (auto const speed : {SpiralSpeed::constant_angular, SpiralSpeed::constant_linear}) {
    for (std::int64_t const interleaves : {1, 5, 16}) {
      Trajectory const t = make_spiral_2d(matrix, {.interleaves = interleaves, .speed = speed});
      auto const weights = analytic_density(t, matrix);
      auto const n = static_cast<std::size_t>(t.samples_per_readout);
      double const edge = 1.5 * radius(t, n - 1) - 0.5 * radius(t, n - 2);
      EXPECT_NEAR(sum(weights) * 64 * 64, pi * edge * edge, 1e-9);
      for (std::size_t j = 1; j + 1 < n; ++j) {
        // pi (r_{j+1/2}^2 - r_{j-1/2}^2) = 2 pi (mean of both) (difference): |k| d|k| of Hoge et al.
        double const jacobian = 2 * pi * 0.25 * (radius(t, j - 1) + 2 * radius(t, j) + radius(t, j + 1)) *
                                0.5 * (radius(t, j + 1) - radius(t, j - 1)) /
                                static_cast<double>(interleaves);
        EXPECT_NEAR(weights[j] * 64 * 64, jacobian, 1e-9);
      }
      EXPECT_EQ(method(t, matrix),
                "analytic Archimedean spiral, " + std::to_string(interleaves) + " interleaves");
    }
  }
}

TEST(Density, InwardSpiralsAreRecognised) {
  Matrix const matrix{64, 64, 1};
  Trajectory t = make_spiral_2d(matrix, {.interleaves = 5});
  auto const outward = analytic_density(t, matrix);
  for (int d = 0; d < 2; ++d) std::reverse(t[d].begin(), t[d].end());
  auto const inward = analytic_density(t, matrix);
  for (std::size_t m = 0; m < inward.size(); ++m)
    EXPECT_NEAR(inward[m], outward[inward.size() - 1 - m], 1e-12);
}

TEST(Density, WeightedAdjointReturnsTheObject) {
  Matrix const matrix{64, 64, 1};
  Trajectory const trajectories[] = {
      make_radial_2d(matrix), make_radial_2d(matrix, {.order = AngleOrder::golden}),
      make_radial_2d(matrix, {.kind = SpokeKind::half}), make_spiral_2d(matrix),
      make_spiral_2d(matrix, {.speed = SpiralSpeed::constant_angular})};
  // The sum over rings one cycle wide is Euler-Maclaurin's: with g(k) = 2 pi k f(k) it exceeds the integral
  // by f(0) times the DC disc pi/4 less g'(0)/12 = pi/6, a constant pi/12 f(0) = pi/12 2 pi s^2 = 0.0105 over
  // the image. The next term, the third derivative 3 2 pi f''(0) over 720, is 0.0008 there.
  double const tolerance = 0.0105 + 0.0008;
  double const points[][2] = {{0, 0}, {0.03, 0.04}, {0.1, 0.05}, {-0.2, 0.1}, {-0.3, 0.25}, {0.45, 0.0}};
  for (Trajectory const& t : trajectories) {
    for (auto const& [x, y] : points) EXPECT_NEAR(weighted_adjoint(t, matrix, x, y), gauss(x, y), tolerance);
  }
}

TEST(Density, TurnedCurvesOfAnyKindSumToTheDisc) {
  Matrix const matrix{64, 64, 1};
  for (SpiralDirection const direction :
       {SpiralDirection::out, SpiralDirection::in, SpiralDirection::in_out}) {
    Trajectory const t = make_spiral_vd(
        matrix, {.interleaves = 6, .direction = direction, .undersampling_edge = 3, .core = 0.2});
    EXPECT_EQ(method(t, matrix), "analytic |k| d|k|, 6 turned readouts");
    // The disc of radius 32 and half a step beyond it; a step is at most one cycle long.
    double const area = sum(analytic_density(t, matrix)) * 64 * 64;
    EXPECT_GE(area, pi * 32 * 32 * (1 - 1e-12));
    EXPECT_LE(area, pi * 32.5 * 32.5);
  }
  for (double const turn : {0.0, 0.5, 1.5}) {
    Trajectory const t = make_rosette(matrix, {.petals = 10, .turn = turn});
    EXPECT_EQ(method(t, matrix).substr(0, 18), "analytic |k| d|k|,");
    // Shared by the sweeps that were made: a petal that ends one step before the centre counts as that much less.
    EXPECT_NEAR(sum(analytic_density(t, matrix)) * 64 * 64, pi * 32 * 32, 1e-9 * pi * 32 * 32);
  }
}

TEST(Density, CurvesOnConesAndAdaptedSpokesSumToTheBall) {
  Matrix const matrix{24, 24, 24};
  Trajectory const adapted = make_adapted_radial(matrix), twisted = make_twisted(matrix),
                   cones = make_cones(matrix);
  EXPECT_EQ(method(adapted, matrix), "analytic shells, 1810 spokes");  // ceil(pi 24^2)
  EXPECT_NE(method(twisted, matrix).find("curves on cones"), std::string::npos);
  EXPECT_NE(method(cones, matrix).find("curves on cones"), std::string::npos);
  for (Trajectory const& t : {adapted, twisted, cones}) {
    double const volume = sum(analytic_density(t, matrix)) * 24 * 24 * 24;
    EXPECT_GE(volume,
              4 * pi / 3 * 12 * 12 * 12 * (1 - 1e-9));  // half a step of at most one cycle beyond the ball
    EXPECT_LE(volume, 4 * pi / 3 * 12.5 * 12.5 * 12.5);
  }
}

TEST(Density, AdaptedSamplesHaveEqualWeightsBeyondTheLinearPart) {
  Matrix const matrix{24, 24, 24};
  Trajectory const t = make_adapted_radial(matrix, {.spokes = 400, .linear_part = 0.3});
  auto const w = analytic_density(t, matrix);
  auto const n = static_cast<std::size_t>(t.samples_per_readout);
  double const equal = w[n - 2];
  for (std::size_t j = 1; j + 1 < n; ++j) {
    if (radius(t, j - 1) < 0.3 * 12) continue;
    // r^3 is linear in time, and shells end at mean radii: ((a+b)/2)^3 differs from (a^3+b^3)/2 by 3/8 (a+b)(a-b)^2, whose
    // change from step to step is below (step/r)^2.
    double const step = radius(t, j + 1) - radius(t, j);
    EXPECT_NEAR(w[j] / equal, 1, std::pow(step / radius(t, j), 2) + 1e-6);
  }
}

TEST(Density, StacksAreTheirPlanes) {
  Matrix const matrix{32, 32, 6};
  StackOfStarsOptions o;
  o.spokes = 21;
  auto const stack = analytic_density(make_stack_of_stars(matrix, o), matrix);
  auto const plane = analytic_density(make_radial_2d({32, 32, 1}, {.spokes = 21}), {32, 32, 1});
  ASSERT_EQ(stack.size(), 6 * plane.size());
  for (std::size_t m = 0; m < stack.size(); ++m) EXPECT_DOUBLE_EQ(stack[m], plane[m % plane.size()] / 6);
  o.turn = StackTurn::golden;
  EXPECT_EQ(method(make_stack_of_stars(matrix, o), matrix),
            "analytic radial 2D, 21 full spokes in each of 6 planes");
  StackOfSpiralsOptions spirals;
  spirals.interleaves = 2;
  spirals.undersampling_edge = 2;
  EXPECT_EQ(method(make_stack_of_spirals(matrix, spirals), matrix),
            "analytic |k| d|k|, 2 turned readouts in each of 6 planes");
}

/// The Gaussian's weighted adjoint in 3D.
double weighted_adjoint_3d(Trajectory const& t, Matrix const& matrix, std::vector<double> const& weights,
                           double const* r) {
  constexpr double kWidth = 0.14;  // FOV: e^-62 is left at |k| = 12
  double const scale = static_cast<double>(matrix.voxels()) * std::pow(2 * pi * kWidth * kWidth, 1.5);
  double value = 0;
  for (std::size_t m = 0; m < weights.size(); ++m) {
    double const k = radius(t, m);
    value += weights[m] * scale * std::exp(-2 * pi * pi * kWidth * kWidth * k * k) *
             std::cos(2 * pi * (t.kx[m] * r[0] + t.ky[m] * r[1] + t.kz[m] * r[2]));
  }
  return value;
}

TEST(Density, WeightedAdjointOfTheNewFormsReturnsTheObject) {
  Matrix const flat{64, 64, 1};
  double const points[][3] = {
      {0, 0, 0}, {0.03, 0.04, 0.02}, {0.1, 0.05, -0.1}, {-0.2, 0.1, 0.05}, {-0.3, 0.2, 0.1}};
  for (Trajectory const& t : {make_spiral_vd(flat, {.interleaves = 12, .undersampling_edge = 2, .core = 0.5}),
                              make_spiral_vd(flat, {.interleaves = 12, .direction = SpiralDirection::in_out}),
                              make_rosette(flat, {.petals = 8})}) {
    // Sweeps are integrals over |k| and sums over angles: the trapezoid rule errs by step^2/12 of the change of slope of
    // 2 pi k f(k) at k = 0, 2 pi f(0) = 2 pi 2 pi s^2 = 0.25, with steps of at most one cycle: 0.02.
    for (auto const& p : points) EXPECT_NEAR(weighted_adjoint(t, flat, p[0], p[1]), gauss(p[0], p[1]), 0.02);
  }
  Matrix const solid{24, 24, 24};
  for (Trajectory const& t : {make_adapted_radial(solid), make_twisted(solid), make_cones(solid)}) {
    auto const weights = analytic_density(t, solid);
    for (auto const& p : points) {
      double const r_sq = p[0] * p[0] + p[1] * p[1] + p[2] * p[2],
                   object = std::exp(-0.5 * r_sq / (0.14 * 0.14));
      // 4 pi k^2 f(k) has no slope at 0; the cones' bands err by the square of their width, (1/12)^2/24, times the second
      // derivative over the polar angle, at most (2 pi k r)^2 where the Gaussian holds its energy, k = 1.2: 0.01.
      EXPECT_NEAR(weighted_adjoint_3d(t, solid, weights, p), object, 0.02);
    }
  }
}

TEST(Density, LeavesOtherTrajectoriesAlone) {
  Matrix const matrix{64, 64, 1};
  Trajectory shifted = make_radial_2d(matrix, {.spokes = 10});
  for (double& k : shifted.kx) k += 0.3;  // spokes miss the centre
  EXPECT_EQ(method(shifted, matrix), "unknown");

  Trajectory bent = make_spiral_2d(matrix, {.interleaves = 4});
  for (std::size_t m = 0; m < bent.kx.size() / 4; ++m)
    bent.kx[m] *= 1.02;  // one interleave is no turned copy of the others
  EXPECT_EQ(method(bent, matrix), "unknown");

  Trajectory ragged = make_radial_2d(matrix, {.spokes = 10});
  ragged.samples_per_readout = 0;
  EXPECT_EQ(method(ragged, matrix), "unknown");

  // Half of the sphere left out: shares are not equal.
  Trajectory cone = make_radial_3d({16, 16, 16}, {.kind = SpokeKind::half});
  for (double& k : cone.kz) k = std::abs(k);
  EXPECT_EQ(method(cone, {16, 16, 16}), "unknown");

  Trajectory const planar = make_radial_2d(matrix);
  EXPECT_EQ(method(planar, {64, 64, 4}), "unknown");
  EXPECT_NE(test::refused([&] {
              analytic_density(planar, {64, 64, 4});
            }).find("no closed form"),
            std::string::npos);
}

TEST(Density, RecognisesTheMeasuredHeartSpokes) {
  std::ifstream file(FINDRHO_DATA_DIR "/heart-radial/heart_traj.cfl", std::ios::binary);
  if (!file) GTEST_SKIP() << "the measured scans are not at " << FINDRHO_DATA_DIR;
  std::vector<std::complex<float>> raw(3 * 256 * 25);
  file.read(reinterpret_cast<char*>(raw.data()), static_cast<std::streamsize>(raw.size() * sizeof raw[0]));
  ASSERT_TRUE(file);
  Trajectory t;
  t.dims = 3;  // as the file has it; kz is 0
  t.samples_per_readout = 256;
  for (std::size_t m = 0; m < raw.size(); m += 3) {
    for (int d = 0; d < 3; ++d) t[d].push_back(raw[m + static_cast<std::size_t>(d)].real());
  }
  Matrix const matrix{256, 256, 1};
  EXPECT_EQ(method(t, matrix), "analytic radial 2D, 25 full spokes");
  // Spokes from -128 to 128 in 255 steps; the outer rings end half a step further. Float positions: 1e-6
  // relative.
  double const edge = 128 + 0.5 * 256 / 255;
  EXPECT_NEAR(sum(analytic_density(t, matrix)) * 256 * 256, pi * edge * edge, 1e-5 * pi * edge * edge);
}

}  // namespace
}  // namespace findrho
