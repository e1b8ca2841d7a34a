// SPDX-License-Identifier: BSD-3-Clause
// Access pattern on the CPU: memory moves lines of 64 bytes, and the prefetcher follows only what is regular.
#include <cstring>
#include <memory>

#include "lab/cpu.hpp"

namespace findrho {
namespace {

constexpr std::size_t kLineWords = 16;

std::size_t words_beyond_caches(Cpu const& cpu) {
  return cpu.choose(
             std::max<std::size_t>(static_cast<std::size_t>(last_cache_bytes()) * 4, std::size_t{128} << 20),
             4 << 20) /
         4;
}

std::uint32_t sum_strided(std::uint32_t const* x, std::size_t first, std::size_t last, std::size_t stride) {
  std::uint32_t sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += x[i * stride];
  return sum;
}

}  // namespace

double cpu_copy_rate(Cpu const& cpu) {
  std::size_t const n = words_beyond_caches(cpu);
  std::vector<std::uint32_t> from(n, 1), to(n, 2);
  auto const copy = [&] {
    cpu.sum(n, [&](std::size_t first, std::size_t last) {
      std::memcpy(to.data() + first, from.data() + first, (last - first) * 4);
      return 0u;
    });
  };
  double const t = cpu.seconds(copy);
  cpu.out.verify_equal("copied words that differ", std::memcmp(from.data(), to.data(), n * 4) == 0 ? 0 : 1,
                       0);
  return 8.0 * static_cast<double>(n) / t;
}

void cpu_access(Cpu const& cpu) {
  std::size_t n = 1;
  while (n * 2 <= words_beyond_caches(cpu)) n *= 2;
  std::vector<std::uint32_t> x(n);
  cpu.sum(n, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) x[i] = mixed(i);
    return 0u;
  });
  double sequential = 0;
  auto const row = [&](std::string const& variant, double useful, double predicted, std::string const& reason,
                       std::string const& note) {
    cpu.out.row(
        {.variant = variant,
         .values = {{"useful", "GB/s", useful / 1e9}, {"moved per useful byte", "", sequential / useful}},
         .predicted = predicted / 1e9,
         .tolerance = 0.6,
         .reason = reason,
         .note = note});
  };
  double const copy = cpu_copy_rate(cpu);
  for (std::size_t const stride : {1, 2, 3, 4, 8, 16, 32}) {
    std::size_t const count = n / stride;
    std::uint32_t expected = 0, sum = 0;
    for (std::size_t i = 0; i < count; ++i) expected += mixed(i * stride);
    double const t = cpu.seconds([&] {
      sum = cpu.sum(count, [&](std::size_t first, std::size_t last) {
        return sum_strided(x.data(), first, last, stride);
      });
    });
    std::string const variant = "stride " + std::to_string(stride);
    cpu.out.verify_equal("sum, " + variant, sum, expected);
    double const useful = 4.0 * static_cast<double>(count) / t;
    if (stride == 1) sequential = useful;
    row(variant, useful, stride == 1 ? copy : sequential / static_cast<double>(std::min(stride, kLineWords)),
        stride == 1 ? "the rate of a copy: every byte is used"
                    : "one word of " + std::to_string(stride) + " is used; a whole line of 16 words moves",
        "the adjacent-line prefetcher moves lines in pairs, and few strides keep it far enough ahead");
  }
  std::size_t const count = n / 16;
  std::uint32_t expected = 0, sum = 0;
  for (std::size_t i = 0; i < count; ++i) expected += x[mixed(i) & (n - 1)];
  double const t = cpu.seconds([&] {
    sum = cpu.sum(count, [&](std::size_t first, std::size_t last) {
      std::uint32_t s = 0;
      for (std::size_t i = first; i < last; ++i) s += x[mixed(i) & (n - 1)];
      return s;
    });
  });
  cpu.out.verify_equal("sum, random", sum, expected);
  // Ten misses of 90 ns overlap on a core.
  row("random words", 4.0 * static_cast<double>(count) / t, 4.0 * 10 / 90e-9 * cpu.threads(),
      "no prefetch: a core has about ten lines on their way, each for about 90 ns",
      "latency and the number of misses in flight differ between processors");
  row("copy, read and written", copy, copy, "measured first: the ceiling of the others", "");
  cpu.out.advice(
      "walk through memory in order; where that cannot be, use the whole line of 64 bytes while it is there");
}

}  // namespace findrho
