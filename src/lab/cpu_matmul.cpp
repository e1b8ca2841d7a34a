// SPDX-License-Identifier: BSD-3-Clause
// Matrix product on the CPU: the order of the loops decides what is reused. Row-wise sums run along vectors; tiles
// keep their part of C in registers. Predicted from what vectors of four floats reach on this machine.
#include <cstring>
#include <limits>

#include "lab/cpu.hpp"
#include "lab/product_check.hpp"

namespace findrho {
namespace {

using Matrix2 = std::vector<float>;

void by_columns(std::size_t n, Matrix2 const& a, Matrix2 const& b, Matrix2& c, std::size_t y) {
  for (std::size_t x = 0; x < n; ++x) {
    float sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
  }
}

void by_rows(std::size_t n, Matrix2 const& a, Matrix2 const& b, Matrix2& c, std::size_t y) {
  float* const to = c.data() + y * n;
  std::fill_n(to, n, 0.0f);
  for (std::size_t k = 0; k < n; ++k) {
    float const factor = a[y * n + k];
    float const* const row = b.data() + k * n;
    // Unrolled: a short loop takes a cycle more where a line of the code ends within it.
#pragma GCC unroll 4
    for (std::size_t x = 0; x < n; ++x) to[x] += factor * row[x];
  }
}

/// Four floats, the vector that every x86-64 processor has and that the compiler makes of this file's other loops (an
/// extension of GCC and Clang, which make of it what the processor has).
using Vector [[gnu::vector_size(16)]] = float;

Vector load(float const* from) {
  Vector v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

/// Four rows of C by 8 columns of B at a time: eight vectors of sums, which fit the 16 registers with what they need. Columns
/// of B are first gathered in a strip, for 16 rows of C: apart in memory they would fall on few sets of the cache.
constexpr std::size_t kRows = 4, kColumns = 8, kRowsOfStrip = 16;
void tiled(std::size_t n, Matrix2 const& a, Matrix2 const& b, Matrix2& c, std::size_t first) {
  std::vector<float> strip(n * kColumns);
  for (std::size_t x = 0; x < n; x += kColumns) {
    for (std::size_t k = 0; k < n; ++k)
      std::copy_n(b.data() + k * n + x, kColumns, strip.data() + k * kColumns);
    for (std::size_t y = first; y < first + kRowsOfStrip; y += kRows) {
      Vector left[kRows] = {}, right[kRows] = {};
      for (std::size_t k = 0; k < n; ++k) {
        Vector const b_left = load(strip.data() + k * kColumns),
                     b_right = load(strip.data() + k * kColumns + 4);
        for (std::size_t r = 0; r < kRows; ++r) {
          float const factor = a[(y + r) * n + k];
          left[r] += factor * b_left;
          right[r] += factor * b_right;
        }
      }
      for (std::size_t r = 0; r < kRows; ++r) {
        std::memcpy(c.data() + (y + r) * n + x, &left[r], sizeof(Vector));
        std::memcpy(c.data() + (y + r) * n + x + 4, &right[r], sizeof(Vector));
      }
    }
  }
}

/// Operations per second of multiplications and additions in vectors of four, in 12 chains in registers, all threads.
double four_floats_rate(Cpu const& cpu) {
  constexpr int kChains = 12;
  std::int64_t const steps = cpu.small ? 1 << 10 : 1 << 23;
  std::vector<float> results(static_cast<std::size_t>(cpu.threads()));
  double const t = cpu.seconds([&] {
    cpu.context.pool().each(cpu.threads(), [&](std::int64_t thread) {
      Vector v[kChains];
      for (int i = 0; i < kChains; ++i) v[i] = Vector{} + static_cast<float>(i) / 16;
      for (std::int64_t s = 0; s < steps; ++s) {
        for (Vector& chain : v) chain = chain * 0.75f + 0.125f;
      }
      for (int i = 1; i < kChains; ++i) v[0] += v[i];
      results[static_cast<std::size_t>(thread)] = v[0][0];
    });
  });
  // v <- 0.75 v + 0.125 tends to 0.5, within the two roundings of a step (6e-8 in all) that the next shrinks to 3/4: 4 of them.
  cpu.out.verify("sum of the chains of four", std::abs(results.front() - 0.5 * kChains),
                 kChains * 4 * 6e-8 + 11 * 8 * 6e-8);
  return 2.0 * 4 * kChains * static_cast<double>(steps) * cpu.threads() / t;
}

/// Operations per second of a sum of products along memory, where each addition waits for the one before, all threads.
double waiting_sum_rate(Cpu const& cpu) {
  constexpr std::size_t n = 1024;  // two arrays of 4 KB stay in the first-level cache
  std::vector<float> const x(n, 0.5f), y(n, 0.25f);
  int const repeats = cpu.small ? 1 : 1 << 13;
  std::vector<float> sums(static_cast<std::size_t>(cpu.threads()));
  double const t = cpu.seconds([&] {
    cpu.context.pool().each(cpu.threads(), [&](std::int64_t thread) {
      float sum = 0;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
      }
      sums[static_cast<std::size_t>(thread)] = sum;
    });
  });
  // Eighths up to 2^20 are exact in float.
  cpu.out.verify("sum of products along memory", std::abs(sums.front() - 0.125 * n * repeats), 0);
  return 2.0 * n * repeats * cpu.threads() / t;
}

}  // namespace

void cpu_matmul(Cpu const& cpu) {
  double const peak = cpu_multiply_add_rate(cpu), in_registers = four_floats_rate(cpu),
               waiting = waiting_sum_rate(cpu);
  constexpr double kUnpredicted = std::numeric_limits<double>::quiet_NaN();
  auto const row = [&](std::string const& variant, double rate, double predicted, std::string const& reason,
                       std::string const& note) {
    cpu.out.row({.variant = variant,
                 .values = {{"rate", "GFLOP/s", rate / 1e9}, {"of the peak", "", rate / peak}},
                 .predicted = predicted,
                 .tolerance = 1.5,
                 .reason = reason,
                 .note = note});
  };
  row("multiply, add: vectors of 4", in_registers, kUnpredicted,
      "measured first, in registers: this file is compiled for every x86-64 processor", "");
  std::string fastest;
  for (std::size_t const n :
       cpu.small ? std::vector<std::size_t>{128} : std::vector<std::size_t>{256, 512, 1024}) {
    Matrix2 a(n * n), b(n * n), c(n * n);
    for (std::size_t i = 0; i < n * n; ++i) a[i] = mixed_float(i), b[i] = mixed_float(n * n + i);
    double best = 0;
    auto const measure = [&](std::string const& what, double predicted, std::string const& reason,
                             std::string const& below, std::size_t step, auto const& rows) {
      std::fill(c.begin(), c.end(), 1e30f);
      double const t = cpu.seconds([&] {
        cpu.context.pool().each(static_cast<std::int64_t>(n / step), [&](std::int64_t y) {
          rows(n, a, b, c, static_cast<std::size_t>(y) * step);
        });
      });
      std::string const variant = std::to_string(n) + ", " + what;
      cpu.out.verify("C v against A (B v), " + variant, product_error(a, b, c, n, 6e-8), 1);
      double const rate = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / t;
      row(variant, rate, predicted / 1e9, reason,
          on_side(rate, predicted, "other programs slowed what the prediction was measured with", below));
      if (rate > best) best = rate, fastest = what;
    };
    measure("sums down the columns of B", waiting,
            "each addition waits for the one before, as in a sum along memory that was measured first",
            "a line of 64 bytes of B moves for each element, and rows of 2^k bytes fall on few sets of the "
            "caches: the lines do not stay for the next columns",
            1, by_columns);
    // Two operations for every 4 bytes of B, which each row of C reads again.
    measure("sums along rows", std::min(in_registers, cpu_stream_rate(cpu, n * n * sizeof(float)) / 2),
            "the stream of B from the cache that holds it (cache-sweep); C is read and written at every step",
            "C's loads and stores take turns with those of B", 1, by_rows);
    measure("tile of 4 x 8", in_registers, "sums in registers; a row of B serves four rows of C",
            "gathering the strip of B, spreading elements of A over a vector, and other programs' turns are "
            "not counted",
            kRowsOfStrip, tiled);
  }
  cpu.out.advice("the fastest at the largest size: " + fastest +
                 "; let the inner loop run along memory, and keep sums in registers only if they fit there");
}

}  // namespace findrho
