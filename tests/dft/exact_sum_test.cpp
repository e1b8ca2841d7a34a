// SPDX-License-Identifier: BSD-3-Clause
// The exact sums of exact_sum.hpp and the ladder's problems against the definition, and the laws of Q.
#include "findrho/dft/exact_sum.hpp"

#include <gtest/gtest.h>

#include <map>

#include "dft/small_sums.hpp"
#include "findrho/core/error.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using C = std::complex<double>;
using test::kOddBox;

/// sum_m w_m exp(+i 2 pi k_m . r) straight from the definition.
C definition(Trajectory const& t, std::vector<C> const& values, std::array<double, 3> const& r) {
  C sum = 0;
  for (std::size_t m = 0; m < values.size(); ++m) {
    double turns = 0;
    for (int d = 0; d < t.dims; ++d) turns += t[d][m] * r[static_cast<std::size_t>(d)];
    sum += values[m] * std::polar(1.0, 2 * std::numbers::pi * turns);
  }
  return sum;
}

std::array<double, 3> position(Matrix const& m, std::int64_t n) {
  std::int64_t const x = n % m.x, y = n / m.x % m.y, z = n / (m.x * m.y);
  return {double(x - m.x / 2) / double(m.x), double(y - m.y / 2) / double(m.y),
          double(z - m.z / 2) / double(m.z)};
}

// Double sums of at most 210 terms of magnitude below 1.5: rounding below 210 * 210 * 1.5 * 2^-53 = 8e-12.
constexpr double kDoubleRounding = 1e-11;

TEST(ExactSum, AdjointIsTheDefinition) {
  Context const context = Context::cpu(2);
  for (Matrix const& matrix : {kOddBox, Matrix{.x = 6, .y = 5, .z = 1}}) {
    Trajectory const t = test::random_trajectory(matrix, 41, 1);
    auto d = test::random_values(41, 2);
    Array<C> image(matrix.shape(1));
    exact_adjoint<double>(context, t, View<C const>(d.data(), sample_shape(1, 41)), image);
    auto const sum = fhd_sum<double>(t, matrix, d);
    auto const rung = run_rung(context, sum, Rung::gather);
    for (std::int64_t n = 0; n < matrix.voxels(); ++n) {
      C const expected = definition(t, d, position(matrix, n));
      EXPECT_LT(std::abs(image[n] - expected), kDoubleRounding);
      auto const i = static_cast<std::size_t>(n);
      EXPECT_LT(std::abs(C(rung.re[i], rung.im[i]) - expected), kDoubleRounding);
    }
  }
}

TEST(ExactSum, ForwardIsTheAdjointsAdjoint) {
  Context const context = Context::cpu(2);
  Trajectory const t = test::random_trajectory(kOddBox, 41, 1);
  auto d = test::random_values(41, 2), rho = test::random_values(kOddBox.voxels(), 3);
  Array<C> samples(sample_shape(1, 41)), image(kOddBox.shape(1));
  exact_forward<double>(context, t, View<C const>(rho.data(), kOddBox.shape(1)), samples);
  exact_adjoint<double>(context, t, View<C const>(d.data(), sample_shape(1, 41)), image);
  C left = 0, right = 0;
  for (std::int64_t m = 0; m < 41; ++m) left += samples[m] * std::conj(d[static_cast<std::size_t>(m)]);
  for (std::int64_t n = 0; n < image.size(); ++n)
    right += rho[static_cast<std::size_t>(n)] * std::conj(image[n]);
  // 41 * 210 terms below 2: rounding below 41 * kDoubleRounding on either side
  EXPECT_LT(std::abs(left - right), 82 * kDoubleRounding);
  auto const rung =
      run_rung(context, forward_sum<double>(t, kOddBox, View<C const>(rho.data(), kOddBox.shape())),
               Rung::gather_vector);
  for (std::size_t m = 0; m < 41; ++m) {
    EXPECT_LT(std::abs(C(rung.re[m], rung.im[m]) - samples[static_cast<std::int64_t>(m)]), kDoubleRounding);
  }
}

class QTest : public testing::TestWithParam<Matrix> {
 protected:
  Matrix matrix_ = GetParam();
  Matrix grid_{.x = 2 * matrix_.x, .y = 2 * matrix_.y, .z = matrix_.z > 1 ? 2 * matrix_.z : 1};
  Trajectory trajectory_ = test::random_trajectory(matrix_, 23, 1);
  std::vector<double> weights_ = test::random_weights(23);
  std::vector<C> phi_ = test::random_values(23, 7);

  Array<C> q() {
    Context const context = Context::cpu(2);
    auto const half =
        run_rung(context, q_sum<double>(trajectory_, matrix_, weights_, phi_), Rung::gather_vector);
    return unfold_q<double>(matrix_, half.re, half.im);
  }
  /// Lag of a grid point; the plane of lag -N counts as no lag.
  bool lag(std::int64_t i, std::array<std::int64_t, 3>& l) const {
    l = {i % grid_.x - matrix_.x, i / grid_.x % grid_.y - matrix_.y,
         matrix_.z > 1 ? i / (grid_.x * grid_.y) - matrix_.z : 0};
    return l[0] > -matrix_.x && l[1] > -matrix_.y && (matrix_.z == 1 || l[2] > -matrix_.z);
  }
};

TEST_P(QTest, IsTheDefinitionAtEveryLag) {
  Array<C> const all = q();
  std::vector<C> values;
  for (std::size_t m = 0; m < 23; ++m) values.push_back(weights_[m] * std::norm(phi_[m]));
  for (std::int64_t i = 0; i < all.size(); ++i) {
    std::array<std::int64_t, 3> l{};
    bool const there = lag(i, l);
    std::array<double, 3> const r{double(l[0]) / double(matrix_.x), double(l[1]) / double(matrix_.y),
                                  double(l[2]) / double(matrix_.z)};
    C const expected = there ? definition(trajectory_, values, r) : C(0);
    ASSERT_LT(std::abs(all[i] - expected), kDoubleRounding) << i;
  }
}

TEST_P(QTest, IsHermitianAndItsSpectrumIsReal) {
  Array<C> const all = q();
  double most = 0;
  for (C const& v : all) most = std::max(most, std::abs(v));
  for (std::int64_t i = 0; i < all.size(); ++i) {
    std::array<std::int64_t, 3> l{};
    if (!lag(i, l)) continue;
    std::int64_t const mirror =
        ((matrix_.z > 1 ? matrix_.z - l[2] : 0) * grid_.y + matrix_.y - l[1]) * grid_.x + matrix_.x - l[0];
    EXPECT_EQ(all[mirror], std::conj(all[i]));
  }
  // One frequency of every axis at a time, straight from the definition of the transform: exact mirrors leave no
  // imaginary part but the phases' rounding, 2^-53 * 20 a term.
  for (std::array<int, 3> const& f : {std::array{0, 0, 0}, std::array{1, 0, 0}, std::array{3, 2, 1}}) {
    C sum = 0;
    for (std::int64_t i = 0; i < all.size(); ++i) {
      std::array<std::int64_t, 3> l{};
      lag(i, l);
      double const turns = double(f[0] * l[0]) / double(grid_.x) + double(f[1] * l[1]) / double(grid_.y) +
                           double(f[2] * l[2]) / double(grid_.z);
      sum += all[i] * std::polar(1.0, -2 * std::numbers::pi * turns);
    }
    EXPECT_LT(std::abs(sum.imag()), 3e-15 * most * static_cast<double>(all.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, QTest,
                         testing::Values(Matrix{.x = 4, .y = 5, .z = 3}, Matrix{.x = 3, .y = 4, .z = 2},
                                         Matrix{.x = 5, .y = 4, .z = 1}));

TEST(ExactProblem, RefusesCountsThatDoNotFit) {
  Trajectory const t = test::random_trajectory(kOddBox, 7, 1);
  auto const d = test::random_values(6, 1);
  auto const error = test::caught([&] { fhd_sum<float>(t, kOddBox, d); });
  EXPECT_EQ(error.kind, ErrorKind::bad_shape);
  EXPECT_NE(std::string(error.what()).find("6 entries"), std::string::npos);
}

}  // namespace
}  // namespace findrho
