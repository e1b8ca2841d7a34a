// SPDX-License-Identifier: BSD-3-Clause
// Every rung against the sum in double: kinds, precisions, sizes that fit neither blocks nor chunks.
#include <gtest/gtest.h>

#include "dft/rungs/parts.hpp"
#include "dft/small_sums.hpp"
#include "findrho/core/error.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using test::kOddBox;

constexpr std::int64_t kSamples = 97;  // two chunks of 40 and one of 17

std::vector<RungOptions> options_of(Rung rung) {
  RungOptions const base{.block_size = 32, .chunk = 40};
  std::vector<RungOptions> all;
  if (rung == Rung::tuned) {
    for (auto memory : {SampleMemory::constant, SampleMemory::global, SampleMemory::shared}) {
      for (int unroll : {1, 2, 4, 8}) {
        for (int voxels : {1, 2, 4, 8}) all.push_back({32, 40, unroll, voxels, memory});
      }
    }
    // Samples in parts, of two tiles and one, and more parts asked for than there are tiles.
    for (int parts : {2, 3, 5}) all.push_back({32, 40, 2, 2, SampleMemory::shared, parts});
  } else if (rung == Rung::gather_coarse || rung == Rung::gather_vector) {
    for (int voxels : {1, 2, 4}) all.push_back({.block_size = 32, .chunk = 40, .per_thread = voxels});
  } else {
    all = {base, {.block_size = 64, .chunk = 97}, {.block_size = 1, .chunk = 1}};
  }
  return all;
}

template <class T>
void expect_all_agree(SumKind kind) {
  Context const context = Context::cpu(2);
  auto const sum = test::small_sum<T>(kind, kOddBox, kSamples);
  double const allowed = test::worst_error(sum);
  for (RungFacts const& rung : rung_facts()) {
    if (!rung.on_cpu || rung.rung == Rung::mu || (sizeof(T) == 8 && !rung.in_double)) continue;
    for (RungOptions const& o : options_of(rung.rung)) {
      auto const result = run_rung(context, sum, rung.rung, o);
      EXPECT_LE(test::largest_error(context, sum, result.re, result.im), allowed)
          << rung.name << ", " << name(kind) << ", block " << o.block_size << ", chunk " << o.chunk
          << ", unroll " << o.unroll << ", per thread " << o.per_thread;
    }
  }
}

TEST(Rungs, AgreeWithTheDoubleSumForAdjointInSinglePrecision) {
  expect_all_agree<float>(SumKind::fhd);
}
TEST(Rungs, AgreeWithTheDoubleSumForAdjointInDoublePrecision) {
  expect_all_agree<double>(SumKind::fhd);
}
TEST(Rungs, AgreeWithTheDoubleSumForQInSinglePrecision) {
  expect_all_agree<float>(SumKind::q);
}
TEST(Rungs, AgreeWithTheDoubleSumForQInDoublePrecision) {
  expect_all_agree<double>(SumKind::q);
}
TEST(Rungs, AgreeWithTheDoubleSumForForwardInSinglePrecision) {
  expect_all_agree<float>(SumKind::forward);
}
TEST(Rungs, AgreeWithTheDoubleSumForForwardInDoublePrecision) {
  expect_all_agree<double>(SumKind::forward);
}

TEST(Rungs, TakePositionsThatAreNoGrid) {
  Context const context = Context::cpu(2);
  auto sum = test::small_sum<float>(SumKind::fhd, kOddBox, kSamples);
  auto const scattered = test::random_values(sum.voxels(), 9);
  for (std::size_t n = 0; n < scattered.size(); ++n) {
    sum.x[n] = static_cast<float>(3 * scattered[n].real());  // beyond the FOV too
    sum.y[n] = static_cast<float>(scattered[n].imag());
  }
  for (Rung rung : {Rung::sequential, Rung::gather_constant_padded, Rung::tuned, Rung::gather_vector}) {
    auto const result = run_rung(context, sum, rung, {.block_size = 32, .chunk = 40});
    EXPECT_LE(test::largest_error(context, sum, result.re, result.im), test::worst_error(sum))
        << facts(rung).name;
  }
}

TEST(Rungs, VectorErrorDoesNotGrowWithTheNumberOfSamples) {
  // Mean error of a voxel for random data, relative to sqrt(M): rounding of the angle, u 2 pi S sqrt(3)/3 with S = 9
  // turns at most, hence below 2e-6 whatever M is; chunks keep the partial sums' part below u sqrt(256).
  Context const context = Context::cpu(2);
  for (std::int64_t samples : {300, 30000}) {
    auto const sum = test::small_sum<float>(SumKind::fhd, {.x = 6, .y = 6, .z = 6}, samples);
    auto const result = run_rung(context, sum, Rung::gather_vector, {.chunk = 256});
    EXPECT_LT(probe_error(context, sum, result, {}), 3e-6) << samples;
  }
}

TEST(Rungs, SliceIsTheSumOfItsSamples) {
  Context const context = Context::cpu(2);
  auto const sum = test::small_sum<double>(SumKind::fhd, kOddBox, kSamples);
  auto const part = run_rung(context, sum, Rung::gather, {}, {.samples = 13, .voxels = 50});
  ASSERT_EQ(part.re.size(), 50u);
  // 13 of 97 samples: rounding stays below the whole sum's worst case
  EXPECT_LT(probe_error(context, sum, part, {.samples = 13, .voxels = 50}, 50), test::worst_error(sum));
  EXPECT_GT(probe_error(context, sum, part, {}, 50), 0.1);
}

TEST(Rungs, ChunksFitConstantMemory) {
  EXPECT_EQ(fitting_options(Rung::gather_constant, {.chunk = 1 << 20}, 4).chunk, 65536 / 12);
  EXPECT_EQ(fitting_options(Rung::gather_constant_padded, {.chunk = 1 << 20}, 4).chunk, 65536 / 24);
  EXPECT_EQ(fitting_options(Rung::gather_constant_padded, {.chunk = 1 << 20}, 8).chunk, 65536 / 48);
  EXPECT_EQ(fitting_options(Rung::gather, {.chunk = 1 << 20}, 4).chunk, 1 << 20);
}

TEST(Rungs, PartsFillWholeWaves) {
  // F rho at 128^3 x 284,592 on 132 multiprocessors with two blocks each: half a wave, then 5.8 of 6.
  EXPECT_EQ(ladder::parts_that_fill(139, 264, 16), 11);
  EXPECT_EQ(ladder::parts_that_fill(1024, 264, 16), 1);  // 3.9 of 4 waves already
  EXPECT_EQ(ladder::parts_that_fill(1, 264, 16), 16);
  EXPECT_EQ(ladder::parts_that_fill(139, 264, 0), 1);
}

TEST(Rungs, UnknownNameIsRefusedWithTheNames) {
  auto const error = test::caught([] { find_rung("gathr"); });
  EXPECT_EQ(error.kind, ErrorKind::bad_option);
  EXPECT_NE(error.hint.find("gather_fast_trig"), std::string::npos);
}

TEST(Rungs, SinglePrecisionOnlyRungsRefuseDouble) {
  Context const context = Context::cpu(1);
  auto const sum = test::small_sum<double>(SumKind::fhd, kOddBox, 3);
  EXPECT_EQ(test::caught([&] { run_rung(context, sum, Rung::gather_fast_trig); }).kind,
            ErrorKind::bad_option);
}

TEST(Rungs, FactsStandInTheOrderOfTheirNumbers) {
  for (std::size_t i = 0; i < rung_facts().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(rung_facts()[i].rung), i);
}

}  // namespace
}  // namespace findrho
