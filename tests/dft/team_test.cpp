// SPDX-License-Identifier: BSD-3-Clause
// The rungs with one thread per lane: under ThreadSanitizer a missing barrier, a shared voxel without an atomic, or a
// lane that writes another's sums shows here, on a machine without a GPU.
#include <gtest/gtest.h>

#include "dft/machine.hpp"
#include "dft/rungs/all.hpp"
#include "dft/small_sums.hpp"
#include "dft/sum_arrays.hpp"

namespace findrho {
namespace {

using test::kOddBox;

template <class Sum, class T>
void expect_agreement(SumKind kind, std::vector<Rung> const& rungs, RungOptions const& options) {
  Context const context = Context::cpu(1);
  auto const sum = test::small_sum<T>(kind, kOddBox, 37);
  for (Rung rung : rungs) {
    ladder::HostArrays<T> arrays(sum, {}, 0, options.parts);
    ladder::ThreadMachine machine(4);
    ASSERT_TRUE((ladder::run_any<Sum>(rung, machine, arrays.view(), options)));
    EXPECT_LE(test::largest_error(context, sum, arrays.re, arrays.im), test::worst_error(sum))
        << facts(rung).name;
  }
}

TEST(RungsOnThreads, AtomicRungsShareVoxels) {
  RungOptions const options{.block_size = 16, .chunk = 10};
  expect_agreement<ladder::FhdSum, float>(SumKind::fhd, {Rung::scatter, Rung::scatter_fissioned}, options);
  expect_agreement<ladder::FhdSum, double>(SumKind::fhd, {Rung::scatter}, options);
  expect_agreement<ladder::QSum, float>(SumKind::q, {Rung::scatter_fissioned}, options);
}

TEST(RungsOnThreads, PairsShareVoxels) {
  // Blocks of 1024 pairs over 210 voxels: several lanes of a block meet in a voxel.
  expect_agreement<ladder::FhdSum, float>(SumKind::fhd, {Rung::pair}, {.block_size = 1024});
}

TEST(RungsOnThreads, GatherRungsOwnTheirVoxels) {
  expect_agreement<ladder::FhdSum, float>(
      SumKind::fhd,
      {Rung::gather, Rung::gather_registers, Rung::gather_constant, Rung::gather_constant_aos,
       Rung::gather_constant_padded, Rung::gather_readonly, Rung::gather_fast_trig},
      {.block_size = 32, .chunk = 16});
}

TEST(RungsOnThreads, CoarseLanesOwnSeveralVoxels) {
  expect_agreement<ladder::FhdSum, float>(SumKind::fhd, {Rung::gather_coarse, Rung::tuned},
                                          {.block_size = 16, .chunk = 16, .unroll = 4, .per_thread = 4});
}

TEST(RungsOnThreads, SharedTilesAreCompleteBeforeTheyAreRead) {
  for (int tile : {1, 7, 16, 64}) {
    expect_agreement<ladder::FhdSum, float>(
        SumKind::fhd, {Rung::tuned},
        {.block_size = 32, .chunk = tile, .unroll = 2, .per_thread = 2, .memory = SampleMemory::shared});
  }
}

TEST(RungsOnThreads, PartsOfTheSamplesHaveOutputsOfTheirOwn) {
  for (int parts : {2, 3, 9}) {  // 37 samples are six tiles of 7
    expect_agreement<ladder::FhdSum, float>(SumKind::forward, {Rung::tuned},
                                            {.block_size = 32,
                                             .chunk = 7,
                                             .unroll = 2,
                                             .per_thread = 2,
                                             .memory = SampleMemory::shared,
                                             .parts = parts});
  }
}

TEST(RungBodies, CountPairsBeyondThirtyTwoBits) {
  // 2^14 samples x 2^19 voxels = 2^33 pairs: the last block must add the last sample to the last voxels.
  std::int64_t const samples = 1 << 14, voxels = 1 << 19;
  int const block = 32;
  std::vector<float> zero(static_cast<std::size_t>(voxels)), one(static_cast<std::size_t>(samples), 1);
  std::vector<float> d(one), re(zero), im(zero);
  d.back() = 3;
  ladder::Arrays<float> const a{.samples = samples,
                                .voxels = voxels,
                                .kx = one.data(),
                                .ky = one.data(),
                                .kz = one.data(),
                                .x = zero.data(),
                                .y = zero.data(),
                                .z = zero.data(),
                                .phi_re = one.data(),
                                .phi_im = zero.data(),
                                .d_re = d.data(),
                                .d_im = zero.data(),
                                .out_re = re.data(),
                                .out_im = im.data()};
  std::int64_t const last = ladder::blocks_for(samples * voxels, block) - 1;
  ladder::PairBody<float, ladder::FhdSum>{a, block}(SerialTeam{}, last, nullptr);
  EXPECT_EQ(re[static_cast<std::size_t>(voxels) - 1], 3.0f);
  EXPECT_EQ(re[static_cast<std::size_t>(voxels) - 32], 3.0f);
  EXPECT_EQ(re[static_cast<std::size_t>(voxels) - 33], 0.0f);
}

TEST(RungBodies, IndexTheGridOf512Cubed) {
  std::int64_t const voxels = 512LL * 512 * 512, samples = 284592;
  EXPECT_EQ(ladder::blocks_for(voxels, 1024), 131072);
  EXPECT_EQ(ladder::blocks_for(128LL * 128 * 128, 1024), 2048);
  EXPECT_EQ(ladder::blocks_for(1000000, 1024), 977);
  EXPECT_EQ(ladder::item_of(5, 1024, 2), 5122);
  EXPECT_EQ(ladder::item_of(ladder::blocks_for(voxels * samples, 1024) - 1, 1024, 1023),
            voxels * samples - 1);
}

}  // namespace
}  // namespace findrho
