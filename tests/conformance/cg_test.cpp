// SPDX-License-Identifier: BSD-3-Clause
// cg through Toeplitz and through NUFFT, against the textbook's conjugate gradients in double on exact sums, after the
// same number of iterations.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <memory>
#include <numbers>

#include "conformance/allocations.hpp"
#include "conformance/random.hpp"
#include "findrho/operator/encoding.hpp"
#include "findrho/operator/regularized_normal.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/prior/identity.hpp"
#include "findrho/solver/cg.hpp"

namespace findrho {
namespace {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;

constexpr std::int64_t kN = 64;
Matrix const kMatrix{kN, kN, 1};

Trajectory radial(std::int64_t spokes) {
  Trajectory t;
  for (std::int64_t s = 0; s < spokes; ++s) {
    double const angle = std::numbers::pi * static_cast<double>(s) / static_cast<double>(spokes);
    for (std::int64_t i = 0; i < kN; ++i) {
      double const k = static_cast<double>(i - kN / 2);
      t.kx.push_back(k * std::cos(angle));
      t.ky.push_back(k * std::sin(angle));
    }
  }
  return t;
}

// The interleaved Archimedean spiral k = (theta / 2 pi) exp(i theta) x interleaves.
Trajectory spiral(std::int64_t interleaves) {
  Trajectory t;
  std::int64_t const samples = 400;
  for (std::int64_t s = 0; s < interleaves; ++s) {
    for (std::int64_t i = 0; i < samples; ++i) {
      double const fraction = std::sqrt(static_cast<double>(i) / static_cast<double>(samples - 1));
      double const turns = fraction * static_cast<double>(kN / 2) / static_cast<double>(interleaves);
      double const angle =
          2 * std::numbers::pi * (turns + static_cast<double>(s) / static_cast<double>(interleaves));
      t.kx.push_back(fraction * static_cast<double>(kN / 2) * std::cos(angle));
      t.ky.push_back(fraction * static_cast<double>(kN / 2) * std::sin(angle));
    }
  }
  return t;
}

// Two discs and a phase; smooth maps of two coils.
VectorXcd object() {
  VectorXcd rho(kN * kN);
  for (std::int64_t n = 0; n < kN * kN; ++n) {
    double const x = static_cast<double>(n % kN - kN / 2) / kN, y = static_cast<double>(n / kN - kN / 2) / kN;
    double const value =
        (std::hypot(x, y) < 0.4 ? 1.0 : 0.0) + (std::hypot(x - 0.1, y + 0.15) < 0.1 ? 0.5 : 0.0);
    rho(n) = std::polar(value, 2 * x - y);
  }
  return rho;
}
VectorXcd coil_map(int coil) {
  VectorXcd map(kN * kN);
  for (std::int64_t n = 0; n < kN * kN; ++n) {
    double const x = static_cast<double>(n % kN - kN / 2) / kN, y = static_cast<double>(n / kN - kN / 2) / kN;
    double const distance = coil == 0 ? x + 0.6 : 0.6 - x;
    map(n) = std::polar(0.3 / (distance * distance + 0.3), coil * y);
  }
  return map;
}

// exp(-i 2 pi k r) of one axis, sample x voxel, and with it F as a product of small dense matrices.
MatrixXcd phases(std::vector<double> const& k) {
  MatrixXcd e(static_cast<Eigen::Index>(k.size()), kN);
  for (Eigen::Index m = 0; m < e.rows(); ++m) {
    for (std::int64_t n = 0; n < kN; ++n) {
      double const r = static_cast<double>(n - kN / 2) / kN;
      e(m, n) = std::polar(1.0, -2 * std::numbers::pi * k[static_cast<std::size_t>(m)] * r);
    }
  }
  return e;
}

struct Witness {
  MatrixXcd ex, ey;
  VectorXcd weights;
  std::vector<VectorXcd> maps;

  VectorXcd forward(VectorXcd const& rho, std::size_t coil) const {
    VectorXcd const weighted = maps[coil].cwiseProduct(rho);
    Eigen::Map<MatrixXcd const> const image(weighted.data(), kN, kN);  // (x, y)
    return (ex * image).cwiseProduct(ey).rowwise().sum();
  }
  VectorXcd adjoint(VectorXcd const& d, std::size_t coil) const {
    MatrixXcd const image = ex.adjoint() * (d.asDiagonal() * ey.conjugate());
    return maps[coil].conjugate().cwiseProduct(Eigen::Map<VectorXcd const>(image.data(), kN * kN));
  }
  VectorXcd normal(VectorXcd const& rho, double lambda) const {
    VectorXcd z = lambda * rho;
    for (std::size_t c = 0; c < maps.size(); ++c) {
      z += adjoint(weights.cwiseProduct(forward(rho, c)), c);
    }
    return z;
  }
  // Every residual is kept orthogonal to all before it, as it is in exact arithmetic: plain conjugate gradients lose
  // that even in double, where the centre of k-space is sampled densely, and are then a step late (5e-5 of the image after 20 steps).
  VectorXcd solve(VectorXcd const& b, double lambda, int iterations) const {
    VectorXcd x = VectorXcd::Zero(b.size()), r = b, p = b;
    std::vector<VectorXcd> before;
    for (int i = 0; i < iterations; ++i) {
      VectorXcd const Ap = normal(p, lambda);
      double const rr = r.squaredNorm(), alpha = rr / p.dot(Ap).real();
      before.push_back(r.normalized());
      x += alpha * p;
      r -= alpha * Ap;
      for (VectorXcd const& q : before) r -= q.dot(r) * q;
      p = r + r.squaredNorm() / rr * p;
    }
    return x;
  }
};

// lambda is kLambda of the largest eigenvalue and W = 1: the condition number is at most 101. A solve amplifies the
// errors of F^H d and Q; recipes plan both 100 times finer than the image is asked for, and so do these tests.
constexpr double kMargin = 100;
constexpr double kLambda = 1e-2;
constexpr int kIterations = 20;

// The scan of one law: with coils == 1 there is no map.
struct Scan {
  Trajectory trajectory;
  std::vector<double> weights;
  int coils;
};

/// The scan's samples, times the weights, and the witness's solution.
struct Solved {
  explicit Solved(Scan const& scan_)
      : scan(scan_),
        witness{phases(scan.trajectory.kx),
                phases(scan.trajectory.ky),
                VectorXcd::Ones(scan.trajectory.size()),
                {}} {
    for (std::size_t m = 0; m < scan.weights.size(); ++m) {
      witness.weights(static_cast<Eigen::Index>(m)) = scan.weights[m];
    }
    VectorXcd b = VectorXcd::Zero(kN * kN);
    for (int c = 0; c < scan.coils; ++c) {
      witness.maps.push_back(scan.coils == 1 ? VectorXcd(VectorXcd::Ones(kN * kN)) : coil_map(c));
      auto const coil = static_cast<std::size_t>(c);
      samples.push_back(witness.weights.cwiseProduct(witness.forward(object(), coil)));
      b += witness.adjoint(samples.back(), coil);
    }
    // The power method from b, which is rich in the largest eigenvalue, is near enough to say what lambda is.
    VectorXcd v = b;
    for (int i = 0; i < 5; ++i) v = witness.normal(v / v.norm(), 0);
    lambda = kLambda * v.norm();
    expected = witness.solve(b, lambda, kIterations);
  }
  Scan scan;
  Witness witness;
  std::vector<VectorXcd> samples;
  double lambda = 0;
  VectorXcd expected;
};

struct Errors {
  double toeplitz, nufft;
};

template <class T>
Errors errors(Solved const& solved, double accuracy) {
  using C = std::complex<T>;
  auto const& [trajectory, weights, coils] = solved.scan;
  Array<C> maps(kMatrix.shape(coils)), samples(sample_shape(coils, trajectory.size()));
  for (std::int64_t c = 0; c < coils; ++c) {
    auto const coil = static_cast<std::size_t>(c);
    for (std::int64_t n = 0; n < kN * kN; ++n) maps[c * kN * kN + n] = C(solved.witness.maps[coil](n));
    for (std::int64_t m = 0; m < trajectory.size(); ++m) {
      samples[c * trajectory.size() + m] = C(solved.samples[coil](m));
    }
  }
  Context const context = Context::cpu(2);
  View<C const> const map_view = coils == 1 ? View<C const>() : maps.view();
  EncodingOptions const options{.nufft = {.accuracy = accuracy / kMargin}};
  Encoding<T> const F(context, trajectory, kMatrix, map_view, options);
  Identity<T> const W(kMatrix.shape());
  Array<C> FHd(kMatrix.shape());
  F.adjoint(context, samples, FHd);
  auto const solve = [&](LinearOperator<T> const& data) {
    Array<C> x(kMatrix.shape());
    cg<T>(context, RegularizedNormal<T>(data, W, solved.lambda), FHd, x,
          {.max_iterations = kIterations, .tolerance = 0});
    return laws::relative_error<C const, std::complex<double> const>(
        x.view(), {solved.expected.data(), kMatrix.shape()});
  };
  auto const kernel =
      std::make_shared<ToeplitzKernel<T> const>(context, trajectory, kMatrix, weights, options);
  return {solve(ToeplitzNormal<T>(kernel, map_view)), solve(WeightedNormal<T>(F, weights))};
}

// The project's stated accuracy of an image: 1e-3 in float by default, 1e-5 at accuracy 1e-6 in double.
void expect_law(Scan const& scan) {
  Solved const solved(scan);
  Errors const single = errors<float>(solved, 1e-3);
  EXPECT_LE(single.toeplitz, 1e-3);
  EXPECT_LE(single.nufft, 1e-3);
  Errors const accurate = errors<double>(solved, 1e-6);
  EXPECT_LE(accurate.toeplitz, 1e-5);
  EXPECT_LE(accurate.nufft, 1e-5);
}

TEST(CgLaw, HoldsForASpiral) {
  expect_law({spiral(12), {}, 1});
}

TEST(CgLaw, HoldsForAnUndersampledSpiralAndTwoCoils) {
  expect_law({spiral(8), {}, 2});
}

TEST(CgLaw, HoldsForRadialSpokes) {
  expect_law({radial(60), {}, 1});
}

TEST(CgLaw, HoldsForWeightedRadialSpokes) {
  Scan scan{radial(60), {}, 1};
  for (std::int64_t m = 0; m < scan.trajectory.size(); ++m) {
    auto const i = static_cast<std::size_t>(m);
    scan.weights.push_back(std::max(0.25, std::hypot(scan.trajectory.kx[i], scan.trajectory.ky[i])));
  }
  expect_law(scan);
}

TEST(Cg, AllocatesNothingInAnIteration) {
  Matrix const matrix{12, 10, 1};
  Context context = Context::cpu(2);
  Encoding<float> const F(context, laws::random_trajectory(matrix, 300, 1), matrix);
  WeightedNormal<float> const A(F);
  Array<std::complex<float>> const b = laws::random_array<float>(matrix.shape(), 2);
  Array<std::complex<float>> x(matrix.shape());
  std::vector<std::int64_t> at_iteration;
  at_iteration.reserve(30);
  context.set_event_sink([&](Event const& event) {
    if (event.type == Event::Type::iteration) at_iteration.push_back(laws::allocations());
  });
  std::int64_t const before = laws::allocations();
  cg<float>(context, A, b, x, {.max_iterations = 30, .tolerance = 0});
  ASSERT_EQ(at_iteration.size(), 30U);
  EXPECT_GT(at_iteration.front(), before);  // the counter sees the vectors
  EXPECT_EQ(at_iteration.back(), at_iteration.front());
}

}  // namespace
}  // namespace findrho
