// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conformance/dense.hpp"
#include "conformance/random.hpp"
#include "findrho/core/error.hpp"
#include "findrho/prior/edge_weighted_differences.hpp"
#include "findrho/prior/finite_differences.hpp"
#include "findrho/prior/identity.hpp"

namespace findrho {
namespace {

using C = std::complex<double>;

Matrix const kMatrices[] = {{6, 5, 1}, {7, 1, 1}, {1, 1, 1}, {4, 3, 5}, {2, 2, 2}};

Array<float> reference_image(Matrix const& matrix) {
  Array<float> reference(matrix.shape());
  for (std::int64_t i = 0; i < reference.size(); ++i) reference[i] = static_cast<float>(i * i % 7);
  return reference;
}

double spectral_norm(LinearOperator<double> const& W) {
  return laws::dense(Context::cpu(1), W).jacobiSvd().singularValues()(0);
}

// (f(x + v) - f(x - v)) / 2 for f = 1/2 |W x|^2 is Re<grad, v> without a remainder, since f is quadratic.
void expect_normal_is_the_gradient(LinearOperator<double> const& W) {
  Context const context = Context::cpu(1);
  Array<C> const x = laws::random_array<double>(W.domain(), 1), v = laws::random_array<double>(W.domain(), 2);
  auto const f = [&](double step) {
    Array<C> moved(W.domain()), Wx(W.range());
    for (std::int64_t i = 0; i < x.size(); ++i) moved[i] = x[i] + step * v[i];
    W.forward(context, moved, Wx);
    double sum = 0;
    for (C const& value : Wx) sum += std::norm(value);
    return 0.5 * sum;
  };
  Array<C> gradient(W.domain());
  W.normal(context, x, gradient);
  double slope = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) slope += (std::conj(gradient[i]) * v[i]).real();
  // f is a sum of at most 180 squares: 200 eps of its size
  EXPECT_NEAR((f(1) - f(-1)) / 2, slope, 200 * std::numeric_limits<double>::epsilon() * (f(1) + f(-1) + 1));
}

TEST(Priors, NormalOperatorIsTheGradientOfHalfTheSquare) {
  for (Matrix const& matrix : kMatrices) {
    SCOPED_TRACE(matrix.shape().str());
    expect_normal_is_the_gradient(Identity<double>(matrix.shape()));
    expect_normal_is_the_gradient(FiniteDifferences<double>(matrix));
    Array<float> const reference = reference_image(matrix);
    if (matrix.voxels() > 1) {
      expect_normal_is_the_gradient(EdgeWeightedDifferences<double>(Context::cpu(1), matrix, reference));
    }
  }
}

TEST(Priors, HaveSpectralNormOne) {
  for (Matrix const& matrix : kMatrices) {
    if (matrix.voxels() == 1) continue;
    SCOPED_TRACE(matrix.shape().str());
    EXPECT_NEAR(spectral_norm(Identity<double>(matrix.shape())), 1, 1e-13);
    // the closed form, up to the rounding of the singular values
    EXPECT_NEAR(spectral_norm(FiniteDifferences<double>(matrix)), 1, 1e-13);
    // 1 % of the squared norm
    Array<float> const reference = reference_image(matrix);
    EXPECT_NEAR(spectral_norm(EdgeWeightedDifferences<double>(Context::cpu(1), matrix, reference)), 1, 0.005);
  }
}

TEST(FiniteDifferences, AreNeighboursMinusVoxelWithoutWrapAround) {
  Matrix const matrix{4, 3, 2};
  double const c = 1 / std::sqrt(4 * (std::pow(std::cos(std::acos(-1.0) / 8), 2) +
                                      std::pow(std::cos(std::acos(-1.0) / 6), 2) +
                                      std::pow(std::cos(std::acos(-1.0) / 4), 2)));
  Array<C> x(matrix.shape());
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = {static_cast<double>(i * i), static_cast<double>(i)};
  FiniteDifferences<double> const W(matrix);
  ASSERT_EQ(W.range(), (Shape{{Axis::dim, 3}, {Axis::z, 2}, {Axis::y, 3}, {Axis::x, 4}}));
  Array<C> y(W.range());
  W.forward(Context::cpu(1), x, y);
  std::int64_t const steps[] = {1, 4, 12};
  for (std::int64_t n = 0; n < 24; ++n) {
    bool const has[] = {n % 4 < 3, n / 4 % 3 < 2, n / 12 < 1};
    for (int d = 0; d < 3; ++d) {
      C const expected = has[d] ? c * (x[n + steps[d]] - x[n]) : C{};
      EXPECT_NEAR(std::abs(y[d * 24 + n] - expected), 0, 1e-12) << "voxel " << n << ", direction " << d;
    }
  }
}

TEST(FiniteDifferences, LeaveOutZIn2D) {
  EXPECT_EQ(FiniteDifferences<float>({5, 4, 1}).range(),
            (Shape{{Axis::dim, 2}, {Axis::z, 1}, {Axis::y, 4}, {Axis::x, 5}}));
}

TEST(FiniteDifferences, OfOneVoxelAreZero) {
  Array<C> x({{Axis::z, 1}, {Axis::y, 1}, {Axis::x, 1}}), z(x.shape());
  x[0] = 3;
  FiniteDifferences<double>({1, 1, 1}).normal(Context::cpu(1), x, z);
  EXPECT_EQ(z[0], C{});
}

TEST(EdgeWeightedDifferences, CostLessAcrossTheReferencesEdges) {
  // A step of 1, the largest there is, at x = 3; s is 0.5 of it: w^2 = 1 / (1 + 4) across it and 1 elsewhere.
  Matrix const matrix{6, 1, 1};
  Array<float> reference(matrix.shape());
  for (std::int64_t i = 3; i < 6; ++i) reference[i] = 1;
  EdgeWeightedDifferences<double> const W(Context::cpu(1), matrix, reference, {.edge_scale = 0.5});
  Array<C> ramp(matrix.shape()), y(W.range());
  for (std::int64_t i = 0; i < 6; ++i) ramp[i] = static_cast<double>(i);
  W.forward(Context::cpu(1), ramp, y);
  for (std::int64_t i : {0, 1, 3, 4}) EXPECT_NEAR(std::norm(y[2] / y[i]), 1.0 / 5, 1e-12);
  EXPECT_EQ(y[5], C{});
}

TEST(EdgeWeightedDifferences, AreFiniteDifferencesForAFlatReference) {
  Matrix const matrix{6, 5, 1};
  Array<float> reference(matrix.shape());
  for (float& value : reference) value = 2;
  EdgeWeightedDifferences<double> const W(Context::cpu(1), matrix, reference);
  Array<C> const x = laws::random_array<double>(matrix.shape(), 3);
  Array<C> y(W.range()), plain(W.range());
  W.forward(Context::cpu(1), x, y);
  FiniteDifferences<double>(matrix).forward(Context::cpu(1), x, plain);
  // the norms differ by the half per cent of the iteration
  EXPECT_LE(laws::relative_error(y, plain), 0.005);
}

TEST(EdgeWeightedDifferences, RefuseUnfitReferences) {
  Matrix const matrix{4, 4, 1};
  Context const context = Context::cpu(1);
  Array<float> flat(matrix.shape()), other(Matrix{4, 5, 1}.shape()), nan = reference_image(matrix);
  nan[7] = std::numeric_limits<float>::quiet_NaN();
  Array<float> const good = reference_image(matrix);
  EXPECT_THROW(EdgeWeightedDifferences<float>(context, matrix, flat), Error);
  EXPECT_THROW(EdgeWeightedDifferences<float>(context, matrix, other), Error);
  EXPECT_THROW(EdgeWeightedDifferences<float>(context, matrix, nan), Error);
  EXPECT_THROW(EdgeWeightedDifferences<float>(context, matrix, good, {.edge_scale = 0}), Error);
}

}  // namespace
}  // namespace findrho
