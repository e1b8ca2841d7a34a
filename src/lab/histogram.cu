// SPDX-License-Identifier: BSD-3-Clause
// Histogram of bytes: contention. Atomic additions to one word wait for each other; a private histogram in shared
// memory spreads them over the blocks, and counting repeats first survives an input that hits a single bin.
#include "lab/bodies.hpp"
#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

__global__ void count_globally(std::uint32_t const* __restrict__ in, std::size_t words, unsigned* bins) {
  for (std::size_t i = grid_index(); i < words; i += grid_size()) {
    std::uint32_t const word = in[i];
    for (int b = 0; b < 4; ++b) atomicAdd(bins + (word >> 8 * b & 255), 1u);
  }
}

__global__ void fill_constant(std::uint32_t* x, std::size_t count, std::uint32_t word) {
  for (std::size_t i = grid_index(); i < count; i += grid_size()) x[i] = word;
}

}  // namespace

void gpu_histogram(Gpu const& gpu) {
  std::size_t const words = gpu.choose(std::size_t{1} << 26, 100'003);
  Buffer<std::uint32_t> in(gpu.session, words);
  Buffer<unsigned> bins(gpu.session, HistogramBody::kBins);
  double const bytes = 4.0 * static_cast<double>(words);
  // Reading alone.
  double const memory = 0.9 * gpu.figures.memory_bytes_per_s;
  double one_bin[3] = {};
  for (bool const hot : {false, true}) {
    std::vector<unsigned> expected(HistogramBody::kBins, 0);
    if (hot) {
      fill_constant<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(in.get(), words, 0x07070707u);
      check_launch("fill_constant");
      expected[7] = static_cast<unsigned>(4 * words);
    } else {
      gpu.fill_mixed(in.get(), words);
      for (std::size_t i = 0; i < words; ++i) {
        for (int b = 0; b < 4; ++b) ++expected[mixed(i) >> 8 * b & 255];
      }
    }
    int which = 0;
    auto const measure = [&](std::string const& variant, double predicted, double tolerance,
                             std::string const& reason, std::string const& note, auto const& launch) {
      bins.fill(0);
      launch();
      auto const result = bins.download();
      std::uint64_t wrong = 0;
      for (std::size_t i = 0; i < result.size(); ++i) wrong += result[i] != expected[i] ? 1 : 0;
      std::string const name = variant + (hot ? ", one bin" : ", uniform");
      gpu.out.verify_equal("wrong bins, " + name, wrong, 0);
      double const rate = bytes / gpu.seconds(launch);
      if (hot) one_bin[which] = rate;
      ++which;
      gpu.out.row({.variant = name,
                   .values = {{"values", "1e9/s", rate / 1e9}},
                   .predicted = predicted / 1e9,
                   .tolerance = tolerance,
                   .reason = reason,
                   .note = note});
    };
    double const sm_rate = gpu.figures.multiprocessors * gpu.figures.clock_hz;
    measure("global atomics", hot ? 1.5e9 : 8 * 1.5e9, 2.5,
            hot ? "one word of the L2 cache takes one addition at a time, in a cycle of its clock"
                : "256 words are eight lines of the L2 cache, each of which takes one addition at a time",
            "the cache's atomic units are faster or slower than that", [&] {
              count_globally<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(in.get(), words,
                                                                                   bins.get());
              check_launch("count_globally");
            });
    for (bool const aggregated : {false, true}) {
      HistogramBody const body{static_cast<std::int64_t>(words), aggregated, in.get(), bins.get()};
      double const predicted = aggregated ? (hot ? memory * 0.7 : sm_rate * 3)
                               : hot      ? sm_rate * 8
                                          : sm_rate * 6;
      measure(aggregated ? "private, repeats counted first" : "private in shared memory", predicted, 1.0,
              aggregated ? (hot ? "one addition a lane: reading the input is left"
                                : "as private, with the test for repeats")
              : hot
                  ? "the lanes of a warp want one word: the hardware adds them up in a few cycles"
                  : "32 lanes meet about 3 times in 32 banks, and each addition is a read, a sum and a write",
              aggregated && !hot
                  ? "the test takes little: it runs while the additions of other warps are waited for"
                  : "the hardware resolves the meetings of a warp faster or slower than was assumed",
              [&] { launch_team<HistogramBody::kLanes>(gpu.session.stream, body.blocks(), body); });
    }
  }
  gpu.out.answer(
      "A histogram that survives a single hot bin? Private in shared memory: " + brief(one_bin[1] / 1e9) +
      "e9 values/s with one bin (the hardware adds up a warp's equal additions); counting repeats in a "
      "register first: " +
      brief(one_bin[2] / 1e9) +
      "e9, which also holds where shared atomics do not; global atomics: " + brief(one_bin[0] / 1e9) + "e9.");
  gpu.out.advice(
      "give each block a private histogram; where values repeat, count the repeats before the atomic "
      "addition");
}

}  // namespace findrho
