// SPDX-License-Identifier: BSD-3-Clause
// The search strategies on made-up timings, the memory of what they found, and the slices that things are timed on.
#include "findrho/dft/tune.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "dft/small_sums.hpp"
#include "findrho/core/error.hpp"
#include "findrho/dft/measure.hpp"
#include "support/caught.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

std::vector<RungOptions> small_space() {
  std::vector<RungOptions> space;
  for (int block : {64, 128, 256}) {
    for (int unroll : {1, 2, 4}) space.push_back({.block_size = block, .chunk = 256, .unroll = unroll});
  }
  return space;
}

/// Large blocks win, unless the loop is unrolled four times: the optimum (64, 4) cannot be reached one knob at a time.
std::optional<double> valley(RungOptions const& o) {
  if (o.unroll == 4) return o.block_size == 64 ? 1.0 : 9.0;
  return 4.0 - o.block_size / 128.0 + 0.1 * o.unroll;
}

TEST(Tune, ExhaustiveSearchFindsTheOptimumAndGreedyStops) {
  int timed = 0;
  auto const report =
      tune(small_space(), {.block_size = 64, .chunk = 256, .unroll = 1}, [&](RungOptions const& o) {
        ++timed;
        return valley(o);
      });
  EXPECT_EQ(timed, 9);  // each once, whoever asks
  EXPECT_EQ(report.exhaustive.timed, 9u);
  EXPECT_EQ(report.exhaustive.best.block_size, 64);
  EXPECT_EQ(report.exhaustive.best.unroll, 4);
  EXPECT_EQ(report.greedy.best.block_size, 256);
  EXPECT_EQ(report.greedy.timed, 5u);
  EXPECT_NEAR(report.greedy.loss, 2.1 / 1.0 - 1, 1e-12);
  EXPECT_FALSE(report.has_pruned);
}

TEST(Tune, ConfigurationsThatCannotRunAreLeftOut) {
  auto const report = tune(small_space(), {.block_size = 64, .chunk = 256, .unroll = 1},
                           [](RungOptions const& o) -> std::optional<double> {
                             if (o.block_size == 256) return {};
                             return valley(o);
                           });
  EXPECT_EQ(report.candidates.size(), 6u);
  auto const error = test::caught(
      [] { tune(small_space(), {}, [](RungOptions const&) { return std::optional<double>(); }); });
  EXPECT_EQ(error.kind, ErrorKind::bad_option);
}

TEST(Tune, OnlyTheParetoFrontIsTimedByThePrunedSearch) {
  auto const report =
      tune(small_space(), {.block_size = 64, .chunk = 256, .unroll = 1}, valley, [](TuneCandidate& c) {
        c.efficiency = c.options.unroll;
        c.utilisation = 1.0 / c.options.block_size;  // best in both: (64, 4)
        return true;
      });
  EXPECT_EQ(report.pruned.timed, 1u);
  EXPECT_EQ(report.pruned.loss, 0);
}

TEST(Tune, FrontHoldsWhatNothingBeatsInBoth) {
  auto const candidate = [](double efficiency, double utilisation) {
    TuneCandidate c;
    c.efficiency = efficiency;
    c.utilisation = utilisation;
    return c;
  };
  std::vector<TuneCandidate> const candidates{candidate(1, 3), candidate(2, 2), candidate(1, 2),
                                              candidate(3, 1)};
  EXPECT_EQ(pareto_front(candidates), (std::vector<std::size_t>{0, 1, 3}));
}

TEST(Tune, FewerInstructionsRaiseEfficiencyAndMoreBlocksUtilisation) {
  LaunchFigures figures;
  figures.blocks_per_multiprocessor = 2;
  TuneCandidate one{.options = {.block_size = 256, .chunk = 1024, .unroll = 1, .per_thread = 1}};
  TuneCandidate four{.options = {.block_size = 256, .chunk = 1024, .unroll = 4, .per_thread = 4}};
  estimate_candidate(one, figures, 1e4, 1e6);
  estimate_candidate(four, figures, 1e4, 1e6);
  EXPECT_GT(four.efficiency, one.efficiency);
  double const before = one.utilisation;
  figures.blocks_per_multiprocessor = 8;
  estimate_candidate(one, figures, 1e4, 1e6);
  EXPECT_GT(one.utilisation, before);
}

TEST(TuneMemory, RemembersByDeviceDriverAndProblem) {
  test::TempFolder const folder;
  auto const inner = std::filesystem::path(folder.path()) / "not" / "there";
  TunedEntry const a{"NVIDIA X",
                     "1",
                     problem_class(SumKind::fhd, 1000, 1 << 21),
                     {512, 2048, 4, 8, SampleMemory::shared},
                     2e12};
  TunedEntry b = a;
  b.driver = "2";
  b.options.block_size = 64;
  remember_tuned(inner, a);
  remember_tuned(inner, b);
  EXPECT_EQ(find_tuned(inner, "NVIDIA X", "1", a.problem)->options, a.options);
  EXPECT_EQ(find_tuned(inner, "NVIDIA X", "2", a.problem)->options.block_size, 64);
  EXPECT_FALSE(find_tuned(inner, "NVIDIA Y", "1", a.problem));
  TunedEntry c = a;
  c.options.chunk = 128;
  remember_tuned(inner, c);  // replaces
  EXPECT_EQ(find_tuned(inner, "NVIDIA X", "1", a.problem)->options.chunk, 128);
  EXPECT_EQ(find_tuned(inner, "NVIDIA X", "2", a.problem)->options.block_size, 64);
}

TEST(TuneMemory, DamagedLinesReadAsNothing) {
  test::TempFolder const folder;
  std::ofstream(folder / "tuned-rungs.tsv") << "X\t1\tp\t64\tno\n\nX\t1\n";
  EXPECT_FALSE(find_tuned(folder.path(), "X", "1", "p"));
  EXPECT_FALSE(find_tuned({}, "X", "1", "p"));
}

TEST(TuneMemory, ProblemsOfAnOctaveShareAClass) {
  EXPECT_EQ(problem_class(SumKind::fhd, 284592, 1 << 21), problem_class(SumKind::fhd, 300000, (1 << 21) + 5));
  EXPECT_NE(problem_class(SumKind::fhd, 284592, 1 << 21), problem_class(SumKind::q, 284592, 1 << 21));
  EXPECT_NE(problem_class(SumKind::fhd, 284592, 1 << 21), problem_class(SumKind::fhd, 700000, 1 << 21));
}

TEST(Measure, SlicesHaveAsManyThreadsAsTheWholeSum) {
  auto const sequential = slice_of(Rung::sequential, 1, 1000, 50000, 1e6);
  EXPECT_EQ(sequential.samples, 20);
  EXPECT_EQ(sequential.voxels, 50000);
  auto const constant = slice_of(Rung::gather_constant, 64, 1000, 50000, 4e6);
  EXPECT_EQ(constant.samples, 128);  // whole chunks
  EXPECT_EQ(constant.voxels, 50000);
  auto const scatter = slice_of(Rung::scatter, 64, 1000, 50000, 1e6);
  EXPECT_EQ(scatter.samples, 1000);
  EXPECT_EQ(scatter.voxels, 1000);
  auto const all = slice_of(Rung::gather, 64, 1000, 50000, 1e12);
  EXPECT_EQ(all.samples, 1000);
  EXPECT_EQ(all.voxels, 50000);
}

TEST(Measure, SliceIsExtrapolatedAndSaysSo) {
  Context const context = Context::cpu(1);
  auto const sum = test::small_sum<float>(SumKind::fhd, {.x = 16, .y = 16, .z = 16}, 3000);
  MeasureOptions const hasty{.budget_s = 0.02, .repeats = 1};
  auto const slow = time_on_cpu(context, sum, Rung::sequential, {}, hasty);
  EXPECT_TRUE(slow.extrapolated);
  EXPECT_LT(slow.slice.samples, 3000);
  EXPECT_NEAR(slow.seconds, sum.pairs() / slow.pairs_per_second, 1e-9 * slow.seconds);
  // u 2 pi S sqrt(3)/3 of random data with S = 24 turns is 6e-6, the worst case seven times that
  EXPECT_LT(slow.error, 4e-5);
  auto const patient = time_on_cpu(context, sum, Rung::gather_vector, {}, {.budget_s = 100, .repeats = 1});
  EXPECT_FALSE(patient.extrapolated);
  EXPECT_LT(patient.error, 4e-5);
}

}  // namespace
}  // namespace findrho
