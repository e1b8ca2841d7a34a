// SPDX-License-Identifier: BSD-3-Clause
// The convolution with an exact Q against F^H W F by its definition, and the solve with it.
#include "findrho/recipe/exact_recon.hpp"

#include <gtest/gtest.h>

#include "dft/small_sums.hpp"
#include "findrho/dft/exact_sum.hpp"

namespace findrho {
namespace {

using C = std::complex<double>;

/// Q of a random trajectory with weights on the doubled grid.
Array<C> q_of(Context const& context, Trajectory const& t, Matrix const& matrix,
              std::vector<double> const& weights) {
  auto const half = run_rung(context, q_sum<double>(t, matrix, weights), Rung::gather_vector);
  return unfold_q<double>(matrix, half.re, half.im);
}

class ExactNormalTest : public testing::TestWithParam<Matrix> {};

TEST_P(ExactNormalTest, IsForwardWeightsAndAdjoint) {
  Context const context = Context::cpu(2);
  Matrix const matrix = GetParam();
  Trajectory const t = test::random_trajectory(matrix, 60, 1);
  auto const weights = test::random_weights(60);
  ExactNormal<double> const normal(context, matrix, q_of(context, t, matrix, weights));
  auto x = test::random_values(matrix.voxels(), 2);
  Array<C> z(matrix.shape()), samples(sample_shape(1, 60)), expected(matrix.shape(1));
  normal.forward(context, View<C const>(x.data(), matrix.shape()), z);
  exact_forward<double>(context, t, View<C const>(x.data(), matrix.shape(1)), samples);
  for (std::int64_t m = 0; m < 60; ++m) samples[m] *= weights[static_cast<std::size_t>(m)];
  exact_adjoint<double>(context, t, samples, expected);
  // Values up to 60 * 1.5 * N sqrt(2); rounding of the sums and of transforms of 8 N points stays below N 60 u each.
  double const allowed = 2e-16 * 60 * 130 * double(matrix.voxels());
  for (std::int64_t n = 0; n < z.size(); ++n) EXPECT_LT(std::abs(z[n] - expected[n]), allowed);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ExactNormalTest,
                         testing::Values(Matrix{.x = 4, .y = 5, .z = 3}, Matrix{.x = 7, .y = 6, .z = 1}));

TEST(ExactRecon, FindsTheImageThatMadeTheSamples) {
  Context const context = Context::cpu(2);
  Matrix const matrix{.x = 6, .y = 6, .z = 1};
  // 400 random samples for 36 unknowns: well conditioned, so that 36 steps without lambda solve to rounding.
  Trajectory const t = test::random_trajectory(matrix, 400, 1);
  auto rho = test::random_values(36, 3);
  Array<C> samples(sample_shape(1, 400));
  exact_forward<double>(context, t, View<C const>(rho.data(), matrix.shape(1)), samples);
  std::vector<C> const d(samples.begin(), samples.end());
  auto const fhd = run_rung(context, fhd_sum<double>(t, matrix, d), Rung::gather_vector);
  Array<C> b(matrix.shape());
  for (std::int64_t n = 0; n < 36; ++n) {
    b[n] = {fhd.re[static_cast<std::size_t>(n)], fhd.im[static_cast<std::size_t>(n)]};
  }
  auto const result = reconstruct_exact<double>(context, matrix, b, q_of(context, t, matrix, {}),
                                                {.lambda = 0, .iterations = 60, .tolerance = 1e-10});
  EXPECT_EQ(result.cg.reason, StopReason::converged);
  // The image is kept in single precision: 2^-24 of values below sqrt(2).
  for (std::size_t n = 0; n < 36; ++n) {
    EXPECT_LT(std::abs(C(result.image[static_cast<std::int64_t>(n)]) - rho[n]), 2e-7);
  }
}

}  // namespace
}  // namespace findrho
