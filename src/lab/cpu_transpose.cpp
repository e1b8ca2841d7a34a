// SPDX-License-Identifier: BSD-3-Clause
// Transpose on the CPU: written column by column, every store misses; tile by tile, a line's 16 words are written
// while the line is in the cache.
#include "lab/bodies.hpp"
#include "lab/cpu.hpp"

namespace findrho {

void cpu_transpose(Cpu const& cpu) {
  int const n = cpu.small ? 500 : 4096;
  std::size_t const count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<float> in(count), out(count);
  for (std::size_t i = 0; i < count; ++i) in[i] = mixed_float(i);
  double const rate = cpu_copy_rate(cpu);
  auto const measure = [&](std::string const& variant, double share, std::string const& reason,
                           auto const& run) {
    std::fill(out.begin(), out.end(), -2.0f);
    double const t = cpu.seconds(run);
    std::uint64_t wrong = 0;
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        auto const at = [n](int a, int b) {
          return static_cast<std::size_t>(a) * static_cast<std::size_t>(n) + static_cast<std::size_t>(b);
        };
        wrong += out[at(y, x)] != in[at(x, y)] ? 1 : 0;
      }
    }
    cpu.out.verify_equal("misplaced elements, " + variant, wrong, 0);
    double const measured = 8.0 * static_cast<double>(count) / t;
    cpu.out.row(
        {.variant = variant,
         .values = {{"read and written", "GB/s", measured / 1e9}, {"of the copy", "", measured / rate}},
         .predicted = share * rate / 1e9,
         .tolerance = 1.0,
         .reason = reason,
         .note = "rows of 2^k bytes fall on few sets of the cache, and every row is a page of its own"});
  };
  TransposeBody<> const body{n, n, 0, in.data(), out.data()};
  std::int64_t const rows_of_tiles = TransposeBody<>::tiles(n);
  measure("rows read, columns written", 2.0 / 17, "each word written moves its line of 16 in and out", [&] {
    cpu.context.pool().each(rows_of_tiles, [&](std::int64_t t) {
      int const first = static_cast<int>(t) * TransposeBody<>::kTile,
                last = std::min(n, first + TransposeBody<>::kTile);
      for (int y = first; y < last; ++y) {
        for (int x = 0; x < n; ++x) {
          out[static_cast<std::size_t>(x) * static_cast<std::size_t>(n) + static_cast<std::size_t>(y)] =
              in[static_cast<std::size_t>(y) * static_cast<std::size_t>(n) + static_cast<std::size_t>(x)];
        }
      }
    });
  });
  measure(
      "tile [32][32], the GPU's body", 0.4,
      "whole lines on both sides; loads and stores of single words set the pace", [&] {
        cpu.context.pool().each(rows_of_tiles, [&](std::int64_t t) {
          alignas(64) unsigned char scratch[TransposeBody<>::kTile * TransposeBody<>::kTile * sizeof(float)];
          for (std::int64_t b = t * rows_of_tiles; b < (t + 1) * rows_of_tiles; ++b)
            body(SerialTeam{}, b, scratch);
        });
      });
  cpu.out.advice("transpose in tiles of a few lines of the cache");
}

}  // namespace findrho
