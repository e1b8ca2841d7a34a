// SPDX-License-Identifier: BSD-3-Clause
// The separable rungs on a CUDA device: every voxel of small sums, probes and each other on a larger one. Skipped
// where there is no device.
#include <gtest/gtest.h>

#include "dft/small_sums.hpp"
#include "findrho/core/error.hpp"
#include "findrho/dft/cuda_ladder.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

constexpr Rung kRungs[] = {Rung::separable_fp32, Rung::separable_split, Rung::separable_tf32,
                           Rung::separable_fp16};

bool is_float_class(Rung rung) {
  return rung == Rung::separable_fp32 || rung == Rung::separable_split;
}

/// Float's worst case; tensor cores cut off what they add instead of rounding it, hence twice the terms' part.
/// split: both factors are off by 2^-22 at most, and the product of the two low parts, 2^-22, is left out.
/// tf32 and fp16: either factor is rounded to 11 bits, 2^-11 together; sixteen real sums make a voxel, of which each
/// has its own rounding: cosines and sines of three axes add up to 2^(3/2) |mu| at most.
double allowed(ExactSum<float> const& sum, Rung rung) {
  double const u = std::exp2(-24), mu = test::sum_of_mu(sum), spread = std::exp2(1.5);
  double const rounding = 2 * test::worst_error(sum) + 16 * u * spread * mu;
  if (rung == Rung::separable_fp32) return rounding;
  if (rung == Rung::separable_split) return rounding + 3 * std::exp2(-22) * spread * mu;
  return rounding + std::exp2(-10) * spread * mu;
}

class GpuSeparable : public testing::Test {
 protected:
  void SetUp() override {
    CudaModule const module = load_cuda_module();
    if (!module.ready()) GTEST_SKIP() << "no CUDA device: " << module.reason;
    session_.emplace(CudaSession::open(module, 0));
  }

  void expect_agreement(SumKind kind, Matrix const& matrix, std::int64_t samples, std::int64_t coils = 1) {
    auto const sum = test::small_sum<float>(kind, matrix, samples, coils);
    CudaSum<float> device_sum(*session_, sum);
    for (Rung rung : kRungs) {
      device_sum.run(rung, {.chunk = 512});
      auto const result = device_sum.result();
      EXPECT_LE(test::largest_error(context_, sum, result.re, result.im), allowed(sum, rung))
          << facts(rung).name << ", " << name(kind) << ", " << matrix.x << " x " << matrix.y << " x "
          << matrix.z << ", " << samples << ", " << coils << " coils";
    }
  }

  Context context_ = Context::cpu(2);
  std::optional<CudaSession> session_;
};

TEST_F(GpuSeparable, AdjointAgreesForAllSizes) {
  for (Matrix const& m : {Matrix{.x = 5, .y = 6, .z = 7}, Matrix{.x = 8, .y = 16, .z = 12},
                          Matrix{.x = 2, .y = 2, .z = 2}, Matrix{.x = 9, .y = 18, .z = 131},
                          Matrix{.x = 19, .y = 10, .z = 1}, Matrix{.x = 64, .y = 37, .z = 1}}) {
    for (std::int64_t samples : {97, 640}) expect_agreement(SumKind::fhd, m, samples);
  }
}

TEST_F(GpuSeparable, QAgrees) {
  expect_agreement(SumKind::q, {.x = 5, .y = 6, .z = 7}, 97);
  expect_agreement(SumKind::q, {.x = 8, .y = 6, .z = 1}, 300);
}

TEST_F(GpuSeparable, ForwardAgreesForAllSizes) {
  for (Matrix const& m : {Matrix{.x = 5, .y = 6, .z = 7}, Matrix{.x = 9, .y = 18, .z = 131},
                          Matrix{.x = 19, .y = 10, .z = 1}, Matrix{.x = 24, .y = 20, .z = 6}}) {
    for (std::int64_t samples : {97, 640}) expect_agreement(SumKind::forward, m, samples);
  }
}

TEST_F(GpuSeparable, CoilsAgreeEachByItself) {
  for (SumKind kind : {SumKind::fhd, SumKind::forward}) {
    for (std::int64_t coils : {2, 5}) {
      expect_agreement(kind, {.x = 9, .y = 18, .z = 131}, 640, coils);
      expect_agreement(kind, {.x = 19, .y = 10, .z = 1}, 97, coils);
    }
  }
}

TEST_F(GpuSeparable, ACoilDoesNotDependOnTheOthers) {
  // The second coil is 2^20 times the first: with one scale for both, half precision would lose the first.
  auto both = test::small_sum<float>(SumKind::fhd, {.x = 12, .y = 10, .z = 8}, 300, 2), first = both;
  first.d_re.resize(300), first.d_im.resize(300);
  for (std::size_t m = 300; m < 600; ++m) both.d_re[m] *= 0x1p20f, both.d_im[m] *= 0x1p20f;
  CudaSum<float> of_both(*session_, both), of_first(*session_, first);
  for (Rung rung : kRungs) {
    of_both.run(rung, {.chunk = 1024});
    of_first.run(rung, {.chunk = 1024});
    auto const all = of_both.result(), alone = of_first.result();
    for (std::size_t n = 0; n < alone.re.size(); ++n) {
      // Samples are split into as many parts either way (fewer than 4096), so that the bits are the same.
      ASSERT_EQ(all.re[n], alone.re[n]) << facts(rung).name << ", " << n;
      ASSERT_EQ(all.im[n], alone.im[n]) << facts(rung).name << ", " << n;
    }
  }
}

TEST_F(GpuSeparable, SlicesOfEveryCoilAreTheRestLeftOut) {
  SumSlice const slice{.samples = 200, .voxels = 500};
  for (SumKind kind : {SumKind::fhd, SumKind::forward}) {
    auto const sum = test::small_sum<float>(kind, {.x = 12, .y = 10, .z = 8}, 640, 3);
    CudaSum<float> device_sum(*session_, sum);
    for (Rung rung : kRungs) {
      device_sum.run(rung, {.chunk = 512}, slice);
      auto const part = device_sum.result(slice);
      ASSERT_EQ(part.re.size(), 1500u);
      EXPECT_LT(probe_error(context_, sum, part, slice, 300), is_float_class(rung) ? 5e-6 : 5e-4)
          << facts(rung).name << ", " << name(kind);
    }
  }
}

TEST_F(GpuSeparable, GeneralRungsTakeCoilsToo) {
  for (SumKind kind : {SumKind::fhd, SumKind::forward}) {
    auto const sum = test::small_sum<float>(kind, test::kOddBox, 97, 3);
    CudaSum<float> device_sum(*session_, sum);
    device_sum.run(Rung::gather_constant_padded, {});
    auto const result = device_sum.result();
    EXPECT_LE(test::largest_error(context_, sum, result.re, result.im), test::worst_error(sum)) << name(kind);
  }
}

TEST_F(GpuSeparable, AgreesWithEachOtherEverywhere) {
  Matrix const matrix{.x = 66, .y = 65, .z = 64};
  for (SumKind kind : {SumKind::fhd, SumKind::forward}) {
    auto const sum = test::small_sum<float>(kind, matrix, 5003);
    CudaSum<float> device_sum(*session_, sum);
    SumResult<float> reference;
    for (Rung rung : kRungs) {
      device_sum.run(rung, {.chunk = 1024});
      auto const result = device_sum.result();
      // Random data: 2^-11 / sqrt(3) for each of two factors in 11 bits is 4e-4 at most; 5e-6 for float.
      double const most = is_float_class(rung) ? 5e-6 : 5e-4;
      EXPECT_LT(probe_error(context_, sum, result, {}), most) << facts(rung).name << ", " << name(kind);
      if (rung == Rung::separable_fp32) reference = result;
      double difference = 0, norm = 0;
      for (std::size_t n = 0; n < result.re.size(); ++n) {
        std::complex<double> const expected(reference.re[n], reference.im[n]);
        difference += std::norm(std::complex<double>(result.re[n], result.im[n]) - expected);
        norm += std::norm(expected);
      }
      EXPECT_LE(std::sqrt(difference / norm), 2 * most) << facts(rung).name << ", " << name(kind);
    }
  }
}

TEST_F(GpuSeparable, ErrorDoesNotGrowWithTheNumberOfSamples) {
  for (std::int64_t samples : {4000, 2000000}) {
    auto const sum = test::small_sum<float>(SumKind::fhd, {.x = 32, .y = 32, .z = 32}, samples);
    CudaSum<float> device_sum(*session_, sum);
    for (Rung rung : kRungs) {
      device_sum.run(rung, {.chunk = is_float_class(rung) ? 1024 : 8192});
      EXPECT_LT(probe_error(context_, sum, device_sum.result(), {}, 16), is_float_class(rung) ? 5e-6 : 5e-4)
          << facts(rung).name << ", " << samples;
    }
  }
}

TEST_F(GpuSeparable, GivesTheSameBitsAgain) {
  auto const sum = test::small_sum<float>(SumKind::fhd, {.x = 40, .y = 33, .z = 20}, 9001);
  CudaSum<float> device_sum(*session_, sum);
  for (Rung rung : kRungs) {
    device_sum.run(rung, {.chunk = 1024});
    auto const once = device_sum.result();
    device_sum.run(rung, {.chunk = 1024});
    auto const again = device_sum.result();
    EXPECT_EQ(once.re, again.re) << facts(rung).name;
    EXPECT_EQ(once.im, again.im) << facts(rung).name;
  }
}

TEST_F(GpuSeparable, PositionsThatAreNoGridAreRefused) {
  auto sum = test::small_sum<float>(SumKind::fhd, test::kOddBox, 5);
  sum.y[31] += 0.01f;
  CudaSum<float> device_sum(*session_, sum);
  EXPECT_EQ(test::caught([&] { device_sum.run(Rung::separable_fp16, {}); }).kind, ErrorKind::bad_option);
  device_sum.run(Rung::gather, {});
}

}  // namespace
}  // namespace findrho
