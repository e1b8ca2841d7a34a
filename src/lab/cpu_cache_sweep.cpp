// SPDX-License-Identifier: BSD-3-Clause
// Cache sweep on the CPU: a pointer chase and a stream over working sets from 4 KB to four times the last cache.
#include <unistd.h>

#include "lab/cpu.hpp"

namespace findrho {
namespace {

constexpr std::size_t kLineWords = 16;

double chase_ns(Cpu const& cpu, std::vector<std::uint32_t>& chain, std::uint64_t nodes) {
  Cycle const cycle{nodes};
  for (std::uint64_t i = 0; i < nodes; ++i)
    chain[i * kLineWords] = static_cast<std::uint32_t>(cycle.next(i) * kLineWords);
  std::int64_t const steps = cpu.small ? 1 << 12 : 1 << 19;
  std::uint32_t at = 0;
  double const t = cpu.seconds([&] {
    at = 0;
    for (std::int64_t i = 0; i < steps; ++i) at = chain[at];
  });
  std::uint64_t expected = 0;
  for (std::int64_t i = 0; i < steps; ++i) expected = cycle.next(expected);
  cpu.out.verify_equal("end of the chain, " + std::to_string(nodes) + " lines", at, expected * kLineWords);
  return t / static_cast<double>(steps) * 1e9;
}

std::string size_text(double bytes) {
  return bytes < 1 << 20 ? brief(bytes / 1024) + " KB" : brief(bytes / (1 << 20)) + " MB";
}

}  // namespace

double cpu_stream_rate(Cpu const& cpu, std::size_t bytes_each) {
  // Each thread has a set of its own, so that the cores' own caches are seen.
  std::size_t const count = bytes_each / 4, threads = static_cast<std::size_t>(cpu.threads());
  std::vector<std::uint32_t> x(count * threads);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = mixed(i);
  std::uint32_t once = 0, sum = 0;
  for (std::uint32_t const v : x) once += v;
  std::size_t const passes =
      std::max<std::size_t>(1, cpu.choose(std::size_t{256} << 20, 1 << 20) / bytes_each);
  double const t = cpu.seconds([&] {
    sum = cpu.sum(count * threads, [&](std::size_t first, std::size_t last) {
      std::uint32_t s = 0;
      for (std::size_t p = 0; p < passes; ++p) {
        // Unrolled: a loop of five instructions takes two cycles where a line of the code ends within it.
#pragma GCC unroll 4
        for (std::size_t i = first; i < last; ++i) s += x[i];
      }
      return s;
    });
  });
  cpu.out.verify_equal("sum of " + std::to_string(bytes_each) + " bytes a thread", sum,
                       once * static_cast<std::uint32_t>(passes));
  return 4.0 * static_cast<double>(x.size() * passes) / t;
}

double cpu_cache_rate(Cpu const& cpu) {
  long const second = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return cpu_stream_rate(cpu, second > 0 ? static_cast<std::size_t>(second) / 2 : 256 << 10);
}

void cpu_cache_sweep(Cpu const& cpu) {
  long const l1 = std::max(sysconf(_SC_LEVEL1_DCACHE_SIZE), 32l << 10),
             l2 = std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), 256l << 10);
  std::int64_t const l3 = last_cache_bytes();
  // Beyond 512 MB the tables of pages, not the caches, would be measured.
  std::uint64_t const most =
      cpu.choose(static_cast<std::size_t>(std::min<std::int64_t>(4 * l3, 512 << 20)) / 64, 1 << 12);
  std::vector<std::uint32_t> chain(most * kLineWords);
  double first = 0;
  for (std::uint64_t base = 64; base <= most; base *= 2) {
    for (std::uint64_t const nodes : {base, base * 3 / 2}) {
      if (nodes > most) continue;
      double const bytes = 64.0 * static_cast<double>(nodes), ns = chase_ns(cpu, chain, nodes);
      if (first == 0) first = ns;
      double const predicted = bytes <= static_cast<double>(l1)   ? 1.5
                               : bytes <= static_cast<double>(l2) ? 5
                               : bytes <= static_cast<double>(l3) ? 30
                                                                  : 100;
      cpu.out.row(
          {.variant = "chase, " + size_text(bytes),
           .values = {{"latency", "ns", ns}, {"bytes", "", bytes}},
           .predicted = predicted,
           .tolerance = 1.0,
           .reason = bytes <= static_cast<double>(l1)   ? "first-level cache: 4 or 5 cycles"
                     : bytes <= static_cast<double>(l2) ? "second level: about 15 cycles"
                     : bytes <= static_cast<double>(l3) ? "last level, shared by the cores"
                                                        : "memory",
           .note = on_side(ns, predicted,
                           "near a cache's size only part of the set is in it; the last level is shared "
                           "with other cores, or other programs, and pages beyond the page tables' cache "
                           "add to it",
                           "part of the set is still in the level before, or this level answers sooner "
                           "than on most processors")});
    }
  }
  std::size_t const most_stream =
      cpu.choose(static_cast<std::size_t>(std::min<std::int64_t>(2 * l3, 128 << 20)), 64 << 10);
  // The loop adds vectors of 16 bytes to one sum: one each cycle, while the prefetcher keeps ahead.
  double const in_caches = 16 * cpu_cycle_rate(cpu);
  double memory = 0;  // measured where a set needs it
  for (std::size_t bytes = 16 << 10; bytes <= most_stream; bytes *= 4) {
    double const together = static_cast<double>(bytes) * cpu.threads();
    bool const cached = together <= static_cast<double>(l3);
    if (!cached && memory == 0) memory = cpu_copy_rate(cpu);
    double const rate = cpu_stream_rate(cpu, bytes),
                 predicted = cached ? in_caches : std::min(in_caches, memory);
    std::string const cache = static_cast<double>(bytes) <= static_cast<double>(l1)   ? "first-level cache"
                              : static_cast<double>(bytes) <= static_cast<double>(l2) ? "second-level cache"
                                                                                      : "last-level cache";
    cpu.out.row({.variant = "stream, " + size_text(static_cast<double>(bytes)) + " a thread",
                 .values = {{"read", "GB/s", rate / 1e9}, {"bytes", "", static_cast<double>(bytes)}},
                 .predicted = predicted / 1e9,
                 .tolerance = 1.5,
                 .reason = cached ? "the loop's own pace, 16 bytes a cycle: the " + cache + " keeps up"
                                  : "the rate of a copy from memory",
                 .note = on_side(
                     rate, predicted,
                     cached ? "other programs slowed what the prediction was measured with"
                            : "reading alone is faster than copying, and a cache still holds a part",
                     "the shared cache or memory is used by other cores and programs, too: less is left")});
  }
  cpu.out.advice("cut loops so that what is used again fits the second-level cache");
}

}  // namespace findrho
