// SPDX-License-Identifier: BSD-3-Clause
// Histogram of bytes on the CPU: threads that add to one array of counters pass its lines back and forth; private
// counters do not, and counting repeats first survives an input that hits a single bin.
#include <atomic>
#include <numeric>

#include "lab/bodies.hpp"
#include "lab/cpu.hpp"

namespace findrho {
namespace {

/// Additions per second of ones to counters of each thread's own, the next one `step` words on: what a histogram's additions
/// alone take on this machine.
template <class Add>
double additions_per_second(Cpu const& cpu, int threads, unsigned step, Add const& add) {
  unsigned const each = cpu.small ? 1 << 12 : 1 << 24;
  unsigned volatile const step_read_late = step;  // or the compiler would add up what falls on one counter
  std::vector<unsigned> counted(static_cast<std::size_t>(threads));
  double const t = cpu.seconds([&] {
    cpu.context.pool().each(threads, [&](std::int64_t thread) {
      alignas(64) unsigned counters[HistogramBody::kBins] = {};
      unsigned const by = step_read_late;
      unsigned at = 7;
#pragma GCC unroll 4
      for (unsigned i = 0; i < each; ++i, at += by) add(counters[at % HistogramBody::kBins]);
      counted[static_cast<std::size_t>(thread)] =
          std::accumulate(std::begin(counters), std::end(counters), 0u);
    });
  });
  cpu.out.verify_equal("additions counted", counted.front(), each);
  return static_cast<double>(each) * threads / t;
}

constexpr auto add_one = [](unsigned& counter) { ++counter; };
constexpr auto add_atomically = [](unsigned& counter) {
  std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
};

}  // namespace

void cpu_histogram(Cpu const& cpu) {
  std::int64_t const words = static_cast<std::int64_t>(cpu.choose(4 << 20, 50'003));
  std::vector<std::uint32_t> in(static_cast<std::size_t>(words));
  double const cycles = cpu_cycle_rate(cpu);
  std::string fastest_of[2];
  for (bool const hot : {false, true}) {
    unsigned const step = hot ? 0 : 1;
    double const alone = additions_per_second(cpu, cpu.threads(), step, add_one),
                 atomic_alone = additions_per_second(cpu, 1, step, add_atomically);
    double best = 0;
    std::vector<unsigned> expected(HistogramBody::kBins, 0), bins(HistogramBody::kBins);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = hot ? 0x07070707u : mixed(i);
      for (int b = 0; b < 4; ++b) ++expected[in[i] >> 8 * b & 255];
    }
    auto const measure = [&](std::string const& what, double predicted, std::string const& reason,
                             std::string const& above, std::string const& below, auto const& run) {
      double const t = cpu.seconds([&] {
        std::fill(bins.begin(), bins.end(), 0u);
        run();
      });
      std::string const variant = what + (hot ? ", one bin" : ", uniform");
      cpu.out.verify_equal("wrong bins, " + variant, bins == expected ? 0 : 1, 0);
      double const rate = 4.0 * static_cast<double>(words) / t;
      cpu.out.row({.variant = variant,
                   .values = {{"values", "1e9/s", rate / 1e9}},
                   .predicted = predicted / 1e9,
                   .tolerance = 1.5,
                   .reason = reason,
                   .note = on_side(rate, predicted, above, below)});
      if (rate > best) best = rate, fastest_of[hot] = what;
    };
    HistogramBody const body{words, false, in.data(), bins.data()};
    HistogramBody const repeats_first{words, true, in.data(), bins.data()};
    std::string const disturbed = "other programs slowed what the prediction was measured with";
    measure("shared counters, atomic", atomic_alone,
            "one thread's atomic additions, measured first: more threads wait for each other",
            "threads that add to different lines at a time do not wait",
            "a line takes longer from core to core than the addition itself", [&] {
              cpu.context.pool().each(body.blocks(), [&](std::int64_t block) {
                std::int64_t const first = block * HistogramBody::kWordsPerBlock;
                for (std::int64_t i = first; i < std::min(words, first + HistogramBody::kWordsPerBlock);
                     ++i) {
                  for (int b = 0; b < 4; ++b) {
                    add_atomically(bins[in[static_cast<std::size_t>(i)] >> 8 * b & 255]);
                  }
                }
              });
            });
    auto const privately = [&](HistogramBody const& b) {
      std::size_t const threads = static_cast<std::size_t>(cpu.threads());
      std::vector<unsigned> partial(threads * HistogramBody::kBins, 0);
      cpu.context.pool().each(cpu.threads(), [&](std::int64_t t) {
        HistogramBody mine = b;
        mine.bins = partial.data() + t * HistogramBody::kBins;
        alignas(64) unsigned char scratch[HistogramBody::kBins * sizeof(unsigned)];
        for (std::int64_t block = t; block < mine.blocks(); block += cpu.threads())
          mine(SerialTeam{}, block, scratch);
      });
      for (std::size_t i = 0; i < partial.size(); ++i) bins[i % HistogramBody::kBins] += partial[i];
    };
    measure("private counters", alone,
            hot ? "additions to one word, measured first: does each wait for the one before?"
                : "additions to one word after the other, measured first",
            disturbed, "taking words apart into bytes takes its time, too", [&] { privately(body); });
    measure("private, repeats counted first", hot ? cycles / 2 : alone,
            hot ? "shift, mask, compare and add in registers: two cycles a value"
                : "nearly every value ends a run of one: an addition each, as without counting",
            hot ? "this processor takes less than two cycles a value" : disturbed,
            hot ? "this processor takes more than two cycles a value"
                : "the comparison of each value, and branches that are guessed wrong",
            [&] { privately(repeats_first); });
  }
  cpu.out.advice("give each thread counters of its own; the fastest here: " + fastest_of[0] +
                 " for uniform values, " + fastest_of[1] + " for one bin");
}

}  // namespace findrho
