// SPDX-License-Identifier: BSD-3-Clause
// The sums that a reconstruction takes by the fastest rung against the sums in double, and which rung that is.
#include "findrho/dft/fast_sum.hpp"

#include <gtest/gtest.h>

#include "dft/small_sums.hpp"
#include "findrho/dft/exact_sum.hpp"

namespace findrho {
namespace {

using test::kOddBox;
constexpr std::int64_t kSamples = 97, kCoils = 3;

template <class T>
Array<std::complex<T>> random_array(Shape const& shape) {
  auto const values = test::random_values(shape.size(), 6);
  Array<std::complex<T>> array(shape);
  for (std::int64_t i = 0; i < array.size(); ++i)
    array[i] = std::complex<T>(values[static_cast<std::size_t>(i)]);
  return array;
}

template <class T>
void expect_near(Array<std::complex<T>> const& result, Array<std::complex<double>> const& expected,
                 double allowed) {
  for (std::int64_t i = 0; i < result.size(); ++i)
    ASSERT_LE(std::abs(std::complex<double>(result[i]) - expected[i]), allowed) << i;
}

template <class T>
void expect_every_coils_sums() {
  Context const context = Context::cpu(2);
  for (Matrix const& matrix : {kOddBox, Matrix{.x = 9, .y = 14, .z = 1}}) {
    Trajectory const trajectory = test::random_trajectory(matrix, kSamples, 1);
    // |mu| and |rho| are below sqrt(2), Phi is 1: the bound of a sum with that much in every term.
    auto const bound = [&](SumKind kind, std::int64_t terms) {
      return 2 * std::sqrt(2.0) * static_cast<double>(terms) *
             test::worst_error(test::small_sum<T>(kind, matrix, kSamples)) /
             test::sum_of_mu(test::small_sum<T>(kind, matrix, kSamples));
    };
    auto const samples = random_array<T>(sample_shape(kCoils, kSamples));
    Array<std::complex<T>> images(matrix.shape(kCoils));
    fast_adjoint<T>(context, {}, trajectory, samples, images);
    Array<std::complex<double>> expected(images.shape());
    exact_adjoint<double>(context, trajectory, convert<std::complex<double>>(samples.view()), expected);
    expect_near(images, expected, bound(SumKind::fhd, kSamples));

    auto const rho = random_array<T>(matrix.shape(kCoils));
    Array<std::complex<T>> forward(samples.shape());
    fast_forward<T>(context, {}, trajectory, rho, forward);
    Array<std::complex<double>> expected_samples(samples.shape());
    exact_forward<double>(context, trajectory, convert<std::complex<double>>(rho.view()), expected_samples);
    expect_near(forward, expected_samples, bound(SumKind::forward, matrix.voxels()));
  }
}

TEST(FastSums, AreTheSumsOfEveryCoilInFloat) {
  expect_every_coils_sums<float>();
}

TEST(FastSums, AreTheSumsOfEveryCoilInDouble) {
  expect_every_coils_sums<double>();
}

TEST(FastSums, TakePositionsInDouble) {
  // Against sqrt(M) |mu| the rung errs by 12 u = 7.2e-7 at most (separable_test.cpp). k rounded to float would be off by up to
  // u k, at k of 2048 cycles and r up to half a FOV by angles of 2 pi 1024 u, 4e-4, evenly spread: 1e-4 of the result.
  Context const context = Context::cpu(2);
  Matrix const matrix{.x = 4096, .y = 2, .z = 1};
  Trajectory const trajectory = test::random_trajectory(matrix, kSamples, 1);
  auto const samples = random_array<float>(sample_shape(1, kSamples));
  Array<std::complex<float>> image(matrix.shape(1));
  fast_adjoint<float>(context, {}, trajectory, samples, image);
  Array<std::complex<double>> expected(image.shape());
  exact_adjoint<double>(context, trajectory, convert<std::complex<double>>(samples.view()), expected);
  double error = 0, norm = 0;
  for (std::int64_t i = 0; i < image.size(); ++i) {
    error += std::norm(std::complex<double>(image[i]) - expected[i]);
    norm += std::norm(expected[i]);
  }
  EXPECT_LT(std::sqrt(error / norm), 7.2e-7);
}

TEST(FastSums, GiveQAtEveryLag) {
  Context const context = Context::cpu(2);
  Trajectory const trajectory = test::random_trajectory(kOddBox, kSamples, 1);
  auto const weights = test::random_weights(kSamples);
  auto const sum = q_sum<float>(trajectory, kOddBox, weights);
  auto const q = fast_q<float>(context, {}, trajectory, kOddBox, weights);
  auto const gathered = run_rung(context, sum, Rung::gather_vector);
  auto const expected = unfold_q<float>(kOddBox, gathered.re, gathered.im);
  for (std::int64_t i = 0; i < q.size(); ++i)
    EXPECT_LE(std::abs(q[i] - expected[i]), 2 * test::worst_error(sum)) << i;
}

TEST(FastSums, TakeTheSeparableRungOnAGrid) {
  EXPECT_EQ(grid_rung<float>({}), Rung::separable_vector);
  EXPECT_EQ(grid_rung<double>({}), Rung::separable_vector);
  for (SumKind kind : {SumKind::fhd, SumKind::q, SumKind::forward})
    EXPECT_EQ(rung_for({}, test::small_sum<float>(kind, kOddBox, kSamples)), Rung::separable_vector)
        << name(kind);
  EXPECT_EQ(description<float>({}), "separable_vector on the CPU");
}

TEST(FastSums, TakeAGeneralRungWherePositionsAreNoGrid) {
  Context const context = Context::cpu(2);
  for (SumKind kind : {SumKind::fhd, SumKind::q, SumKind::forward}) {
    auto sum = test::small_sum<float>(kind, kOddBox, kSamples);
    (kind == SumKind::forward ? sum.ky : sum.y)[31] += 0.01f;
    EXPECT_EQ(rung_for({}, sum), Rung::gather_vector) << name(kind);
    auto const result = fast_sum(context, {}, sum);
    EXPECT_LE(test::largest_error(context, sum, result.re, result.im), test::worst_error(sum)) << name(kind);
  }
}

TEST(FastSums, TheBytesGrowWithCoilsAndOnlyADeviceTakesItsOwn) {
  Matrix const matrix{.x = 32, .y = 32, .z = 32};
  SumBytes const one = fast_sum_bytes<float>({}, matrix, 1000, 1),
                 four = fast_sum_bytes<float>({}, matrix, 1000, 4);
  EXPECT_EQ(one.device, 0);
  EXPECT_GT(one.host, matrix.voxels() * 16);  // the slots' sums in double
  EXPECT_GT(four.host, one.host);
}

}  // namespace
}  // namespace findrho
