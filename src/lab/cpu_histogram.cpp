// SPDX-License-Identifier: BSD-3-Clause
// Histogram of bytes on the CPU: threads that add to one array of counters pass its lines back and forth; private
// counters do not, and counting repeats first survives an input that hits a single bin.
#include <atomic>

#include "lab/bodies.hpp"
#include "lab/cpu.hpp"

namespace findrho {

void cpu_histogram(Cpu const& cpu) {
  std::int64_t const words = static_cast<std::int64_t>(cpu.choose(4 << 20, 50'003));
  std::vector<std::uint32_t> in(static_cast<std::size_t>(words));
  for (bool const hot : {false, true}) {
    std::vector<unsigned> expected(HistogramBody::kBins, 0), bins(HistogramBody::kBins);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = hot ? 0x07070707u : mixed(i);
      for (int b = 0; b < 4; ++b) ++expected[in[i] >> 8 * b & 255];
    }
    auto const measure = [&](std::string const& what, double predicted, std::string const& reason,
                             auto const& run) {
      double const t = cpu.seconds([&] {
        std::fill(bins.begin(), bins.end(), 0u);
        run();
      });
      std::string const variant = what + (hot ? ", one bin" : ", uniform");
      cpu.out.verify_equal("wrong bins, " + variant, bins == expected ? 0 : 1, 0);
      cpu.out.row(
          {.variant = variant,
           .values = {{"values", "1e9/s", 4.0 * static_cast<double>(words) / t / 1e9}},
           .predicted = predicted,
           .tolerance = 1.5,
           .reason = reason,
           .note =
               "how fast a line of counters passes between cores, and how well stores are forwarded, differs "
               "between processors"});
    };
    HistogramBody const body{words, false, in.data(), bins.data()};
    HistogramBody const repeats_first{words, true, in.data(), bins.data()};
    measure("shared counters, atomic", hot ? 0.1 : 0.15,
            "an atomic addition costs about 20 cycles, and the line moves between cores", [&] {
              cpu.context.pool().each(body.blocks(), [&](std::int64_t block) {
                std::int64_t const first = block * HistogramBody::kWordsPerBlock;
                for (std::int64_t i = first; i < std::min(words, first + HistogramBody::kWordsPerBlock);
                     ++i) {
                  for (int b = 0; b < 4; ++b) {
                    std::atomic_ref(bins[in[static_cast<std::size_t>(i)] >> 8 * b & 255])
                        .fetch_add(1, std::memory_order_relaxed);
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
    measure("private counters", (hot ? 0.4 : 1.0) * cpu.threads(),
            hot ? "each addition waits for the one before it in the same word"
                : "an addition every two or three cycles",
            [&] { privately(body); });
    measure("private, repeats counted first", (hot ? 1.5 : 0.3) * cpu.threads(),
            hot ? "a comparison and a sum in registers"
                : "nearly every value ends a run of one: a branch that is guessed right",
            [&] { privately(repeats_first); });
  }
  cpu.out.advice("give each thread counters of its own");
}

}  // namespace findrho
