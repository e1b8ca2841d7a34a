// SPDX-License-Identifier: BSD-3-Clause
// Rung separable_vector: sizes even and odd in two and three dimensions, far positions, long sums, slices, refusals.
#include <gtest/gtest.h>

#include "dft/small_sums.hpp"
#include "findrho/core/error.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

template <class T>
void expect_agreement(Matrix const& matrix, std::int64_t samples) {
  Context const context = Context::cpu(2);
  for (SumKind kind : {SumKind::fhd, SumKind::q, SumKind::forward}) {
    auto const sum = test::small_sum<T>(kind, matrix, samples);
    auto const result = run_rung(context, sum, Rung::separable_vector);
    EXPECT_LE(test::largest_error(context, sum, result.re, result.im), test::worst_error(sum))
        << name(kind) << ", " << matrix.x << " x " << matrix.y << " x " << matrix.z << ", " << samples;
  }
}

TEST(Separable, AgreesForEvenAndOddSizesInThreeDimensions) {
  for (Matrix const& m : {Matrix{.x = 2, .y = 2, .z = 2}, Matrix{.x = 8, .y = 5, .z = 6},
                          Matrix{.x = 3, .y = 10, .z = 9}, Matrix{.x = 11, .y = 3, .z = 33}}) {
    expect_agreement<float>(m, 131);
    expect_agreement<double>(m, 131);
  }
}

TEST(Separable, AgreesForEvenAndOddSizesInTwoDimensions) {
  for (Matrix const& m : {Matrix{.x = 2, .y = 2, .z = 1}, Matrix{.x = 8, .y = 5, .z = 1},
                          Matrix{.x = 17, .y = 10, .z = 1}, Matrix{.x = 40, .y = 35, .z = 1}}) {
    expect_agreement<float>(m, 131);
    expect_agreement<double>(m, 131);
  }
}

TEST(Separable, CoilsAgreeEachByItself) {
  // Eight are taken together, so that nine are two batches.
  Context const context = Context::cpu(2);
  for (SumKind kind : {SumKind::fhd, SumKind::forward}) {
    for (std::int64_t coils : {2, 9}) {
      auto const sum = test::small_sum<float>(kind, {.x = 8, .y = 5, .z = 6}, 131, coils);
      for (Rung rung : {Rung::separable_vector, Rung::gather_vector, Rung::gather}) {
        auto const result = run_rung(context, sum, rung);
        EXPECT_LE(test::largest_error(context, sum, result.re, result.im), test::worst_error(sum))
            << facts(rung).name << ", " << name(kind) << ", " << coils << " coils";
      }
    }
  }
}

TEST(Separable, AgreesForAnyNumberOfSamples) {
  // 128 is a run, 1024 the runs whose tables are made together
  for (std::int64_t samples : {1, 127, 128, 129, 1024, 1025})
    expect_agreement<float>({.x = 4, .y = 3, .z = 5}, samples);
}

TEST(Separable, PositionsFarOutsideLoseNoDigits) {
  // 10^5 cycles per FOV: 5e4 turns at the image's edge. The phases along each axis come from cycles in double, whole
  // turns dropped; what is left is float's rounding of phases, products and the chunk's sum, 20 roundings of u at most
  // beside the sum of 97: (20 + 97) u sum |mu|. A phase formed in float would be off by 5e4 u 2 pi, 300 times u more.
  Context const context = Context::cpu(2);
  auto sum = test::small_sum<float>(SumKind::fhd, {.x = 8, .y = 16, .z = 4}, 97);
  double mu = 0;
  for (std::size_t m = 0; m < sum.kx.size(); ++m) {
    for (auto* k : {&sum.kx, &sum.ky, &sum.kz}) (*k)[m] = std::round((*k)[m] * 12500 * 64) / 64;
    mu += std::abs(std::complex<double>(sum.phi_re[m], sum.phi_im[m]) *
                   std::complex<double>(sum.d_re[m], sum.d_im[m]));
  }
  auto const result = run_rung(context, sum, Rung::separable_vector);
  EXPECT_LE(test::largest_error(context, sum, result.re, result.im), 117 * std::exp2(-24) * mu);
}

TEST(Separable, ErrorDoesNotGrowWithTheNumberOfSamples) {
  // Runs of 128 are summed in float and then added in double. Against sqrt(M) |mu|: three factors rounded, two products
  // and mu make 6 roundings of at most u, the run's partial sums sqrt(128)/2 more: below 12 u = 7.2e-7, whatever M is.
  Context const context = Context::cpu(2);
  for (std::int64_t samples : {300, 30000, 300000}) {
    auto const sum = test::small_sum<float>(SumKind::fhd, {.x = 6, .y = 6, .z = 6}, samples);
    auto const result = run_rung(context, sum, Rung::separable_vector);
    EXPECT_LT(probe_error(context, sum, result, {}), 7.2e-7) << samples;
  }
}

TEST(Separable, SlicesAreTheRestLeftOut) {
  Context const context = Context::cpu(2);
  SumSlice const slice{.samples = 40, .voxels = 50};
  for (SumKind kind : {SumKind::fhd, SumKind::forward}) {
    auto const sum = test::small_sum<double>(kind, test::kOddBox, 97, 2);
    auto const part = run_rung(context, sum, Rung::separable_vector, {}, slice);
    ASSERT_EQ(part.re.size(), 100u);
    EXPECT_LT(probe_error(context, sum, part, slice, 100), test::worst_error(sum)) << name(kind);
  }
}

TEST(Separable, DoesNotDependOnTheNumberOfThreads) {
  auto const sum = test::small_sum<float>(SumKind::fhd, {.x = 9, .y = 8, .z = 7}, 1500);
  auto const one = run_rung(Context::cpu(1), sum, Rung::separable_vector);
  auto const three = run_rung(Context::cpu(3), sum, Rung::separable_vector);
  EXPECT_EQ(one.re, three.re);
  EXPECT_EQ(one.im, three.im);
}

TEST(Separable, PositionsThatAreNoGridAreRefused) {
  Context const context = Context::cpu(1);
  auto sum = test::small_sum<float>(SumKind::fhd, test::kOddBox, 5);
  EXPECT_TRUE(on_grid(sum));
  sum.y[31] += 0.01f;
  EXPECT_FALSE(on_grid(sum));
  auto const error = test::caught([&] { run_rung(context, sum, Rung::separable_vector); });
  EXPECT_EQ(error.kind, ErrorKind::bad_option);
  EXPECT_NE(error.hint.find("gather_vector"), std::string::npos);
}

TEST(Separable, RungsOfADeviceAreRefusedOnTheCpu) {
  Context const context = Context::cpu(1);
  auto const sum = test::small_sum<float>(SumKind::fhd, test::kOddBox, 5);
  EXPECT_EQ(test::caught([&] { run_rung(context, sum, Rung::separable_fp16); }).kind, ErrorKind::bad_option);
}

}  // namespace
}  // namespace findrho
