// SPDX-License-Identifier: BSD-3-Clause
// cg through Toeplitz and through NUFFT, against the textbook's conjugate gradients in double on exact sums, after the
// same number of iterations.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <memory>
#include <numbers>

#include "conformance/random.hpp"
#include "findrho/operator/encoding.hpp"
#include "findrho/operator/regularized_normal.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/prior/finite_differences.hpp"
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
  std::int64_t const samples = 600;
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
  // F^H F + lambda W^H W, W the differences scaled to norm 1
  VectorXcd normal(VectorXcd const& rho, double lambda) const {
    VectorXcd z = VectorXcd::Zero(kN * kN);
    for (std::size_t c = 0; c < maps.size(); ++c) z += adjoint(forward(rho, c), c);
    double const scale = lambda / (8 * std::pow(std::cos(std::numbers::pi / (2 * kN)), 2));
    for (std::int64_t n = 0; n < kN * kN; ++n) {
      for (std::int64_t const step : {std::int64_t{1}, kN}) {
        bool const neighbour = step == 1 ? n % kN + 1 < kN : n + kN < kN * kN;
        if (!neighbour) continue;
        std::complex<double> const difference = scale * (rho(n + step) - rho(n));
        z(n + step) += difference;
        z(n) -= difference;
      }
    }
    return z;
  }
  VectorXcd solve(VectorXcd const& b, double lambda, int iterations) const {
    VectorXcd x = VectorXcd::Zero(b.size()), r = b, p = b;
    for (int i = 0; i < iterations; ++i) {
      VectorXcd const Ap = normal(p, lambda);
      double const rr = r.squaredNorm(), alpha = rr / p.dot(Ap).real();
      x += alpha * p;
      r -= alpha * Ap;
      p = r + r.squaredNorm() / rr * p;
    }
    return x;
  }
};

constexpr int kIterations = 12;

struct Solutions {
  double toeplitz_error, nufft_error;
};

template <class T>
Solutions errors(Trajectory const& trajectory, int coils, double accuracy) {
  using C = std::complex<T>;
  Witness witness{phases(trajectory.kx), phases(trajectory.ky), {}};
  Array<C> maps(kMatrix.shape(coils)), samples(sample_shape(coils, trajectory.size()));
  VectorXcd const rho = object();
  VectorXcd b = VectorXcd::Zero(kN * kN);
  for (int c = 0; c < coils; ++c) {
    // one coil: no map
    witness.maps.push_back(coils == 1 ? VectorXcd(VectorXcd::Ones(kN * kN)) : coil_map(c));
    VectorXcd const d = witness.forward(rho, static_cast<std::size_t>(c));
    b += witness.adjoint(d, static_cast<std::size_t>(c));
    for (std::int64_t n = 0; n < kN * kN; ++n) maps[c * kN * kN + n] = C(witness.maps.back()(n));
    for (std::int64_t m = 0; m < d.size(); ++m) samples[c * d.size() + m] = C(d(m));
  }
  // about 1e-3 of the largest eigenvalue, which is near 2 x samples for both trajectories
  double const lambda = 2e-3 * static_cast<double>(trajectory.size());
  VectorXcd const expected = witness.solve(b, lambda, kIterations);

  Context const context = Context::cpu(2);
  View<C const> const map_view = coils == 1 ? View<C const>() : maps.view();
  EncodingOptions const options{.nufft = {.accuracy = accuracy}};
  Encoding<T> const F(context, trajectory, kMatrix, map_view, options);
  FiniteDifferences<T> const W(kMatrix);
  Array<C> FHd(kMatrix.shape());
  F.adjoint(context, samples, FHd);
  auto const solve = [&](LinearOperator<T> const& data) {
    Array<C> x(kMatrix.shape());
    cg<T>(context, RegularizedNormal<T>(data, W, lambda), FHd, x,
          {.max_iterations = kIterations, .tolerance = 0});
    return laws::relative_error<C const, std::complex<double> const>(x.view(),
                                                                     {expected.data(), kMatrix.shape()});
  };
  auto const kernel = std::make_shared<ToeplitzKernel<T> const>(context, trajectory, kMatrix,
                                                                std::span<double const>(), options);
  return {solve(ToeplitzNormal<T>(kernel, map_view)), solve(WeightedNormal<T>(F))};
}

void expect_law(Trajectory const& trajectory, int coils) {
  Solutions const single = errors<float>(trajectory, coils, 1e-3);
  EXPECT_LE(single.toeplitz_error, 1e-3);
  EXPECT_LE(single.nufft_error, 1e-3);
  Solutions const accurate = errors<double>(trajectory, coils, 1e-6);
  EXPECT_LE(accurate.toeplitz_error, 1e-5);
  EXPECT_LE(accurate.nufft_error, 1e-5);
  RecordProperty("float_toeplitz", std::to_string(single.toeplitz_error));
  printf("%.2e %.2e %.2e %.2e\n", single.toeplitz_error, single.nufft_error, accurate.toeplitz_error,
         accurate.nufft_error);
}

// The limits are the project's stated accuracy of an image (README): 1e-3 by default, 1e-5 at accuracy 1e-6 in double.
TEST(CgLaw, HoldsForRadialSpokes) {
  expect_law(radial(60), 1);
}
TEST(CgLaw, HoldsForASpiral) {
  expect_law(spiral(12), 1);
}
TEST(CgLaw, HoldsForUndersampledSpokesAndTwoCoils) {
  expect_law(radial(40), 2);
}

}  // namespace
}  // namespace findrho
