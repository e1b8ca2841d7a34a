// SPDX-License-Identifier: BSD-3-Clause
// Matrix product on the CPU: the order of the loops decides what is reused. Row-wise sums run along vectors; tiles
// keep B in the cache.
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
    for (std::size_t x = 0; x < n; ++x) to[x] += factor * row[x];
  }
}

/// Four rows of C by 64 columns of B at a time: the sums stay in registers, each row of B is read once for four rows.
constexpr std::size_t kRows = 4, kColumns = 64;
void tiled(std::size_t n, Matrix2 const& a, Matrix2 const& b, Matrix2& c, std::size_t y0) {
  for (std::size_t x0 = 0; x0 < n; x0 += kColumns) {
    float sum[kRows][kColumns] = {};
    for (std::size_t k = 0; k < n; ++k) {
      float const* const row = b.data() + k * n + x0;
      for (std::size_t r = 0; r < kRows; ++r) {
        float const factor = a[(y0 + r) * n + k];
        for (std::size_t x = 0; x < kColumns; ++x) sum[r][x] += factor * row[x];
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) std::copy_n(sum[r], kColumns, c.data() + (y0 + r) * n + x0);
  }
}

}  // namespace

void cpu_matmul(Cpu const& cpu) {
  double const peak = cpu_multiply_add_rate(cpu);
  for (std::size_t const n :
       cpu.small ? std::vector<std::size_t>{128} : std::vector<std::size_t>{256, 512, 1024}) {
    Matrix2 a(n * n), b(n * n), c(n * n);
    for (std::size_t i = 0; i < n * n; ++i) a[i] = mixed_float(i), b[i] = mixed_float(n * n + i);
    auto const measure = [&](std::string const& what, double share, std::string const& reason,
                             std::size_t step, auto const& rows) {
      std::fill(c.begin(), c.end(), 1e30f);
      double const t = cpu.seconds([&] {
        cpu.context.pool().each(static_cast<std::int64_t>(n / step), [&](std::int64_t y) {
          rows(n, a, b, c, static_cast<std::size_t>(y) * step);
        });
      });
      std::string const variant = std::to_string(n) + ", " + what;
      cpu.out.verify("C v against A (B v), " + variant, product_error(a, b, c, n, 6e-8), 1);
      double const rate = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / t;
      cpu.out.row({.variant = variant,
                   .values = {{"rate", "GFLOP/s", rate / 1e9}, {"of the peak", "", rate / peak}},
                   .predicted = share * peak / 1e9,
                   .tolerance = 1.5,
                   .reason = reason,
                   .note =
                       "this file is compiled for every x86-64 processor: vectors of 4 floats, and no fused "
                       "multiply-add; the cache decides how much of that is reached"});
    };
    double const four_lanes = 4.0 / cpu_vector_lanes() / 2;
    measure("sums down the columns of B", four_lanes / 4 / 4,
            "one element a line of B, a sum that waits for itself: four cycles a step", 1, by_columns);
    measure("sums along rows", four_lanes / 3, "vectors, but C is read and written at every step", 1,
            by_rows);
    measure("tile of 4 x 64", four_lanes / 2, "each row of B serves four rows of C", kRows, tiled);
  }
  cpu.out.advice("keep a tile of the result in registers, and let the inner loop run along memory");
}

}  // namespace findrho
