// SPDX-License-Identifier: BSD-3-Clause
// Checks C = A B in n^2 work: C v against A (B v) for a random v, in double. An element that is wrong by more than the
// rounding shows, whichever it is (Freivalds 1977).
#pragma once
#include <cmath>
#include <vector>

#include "lab/numbers.hpp"

namespace findrho {

/// The largest |C v - A (B v)| of any row, over what rounding in units of eps explains; up to 1 is right.
inline double product_error(std::vector<float> const& a, std::vector<float> const& b,
                            std::vector<float> const& c, std::size_t n, double eps) {
  std::vector<double> v(n), bv(n, 0), bv_size(n, 0);
  for (std::size_t i = 0; i < n; ++i) v[i] = mixed_float(7'000'000'000 + i);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      bv[k] += static_cast<double>(b[k * n + j]) * v[j];
      bv_size[k] += static_cast<double>(b[k * n + j]) * b[k * n + j] * v[j] * v[j];
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double cv = 0, abv = 0, size_sq = 0;
    for (std::size_t j = 0; j < n; ++j) {
      cv += static_cast<double>(c[i * n + j]) * v[j];
      abv += static_cast<double>(a[i * n + j]) * bv[j];
      size_sq += static_cast<double>(a[i * n + j]) * a[i * n + j] * bv_size[j];
    }
    // Random signs: n^2 products of size sqrt(size_sq / n^2) add to about sqrt(size_sq); each sum of n terms is
    // rounded n times, which adds sqrt(n) eps of it; 16 standard deviations leave room for any row.
    double const bound = 16 * eps * std::sqrt(static_cast<double>(n) * size_sq);
    double const ratio = std::abs(cv - abv) / bound;
    keep_worst(worst, ratio);
  }
  return worst;
}

}  // namespace findrho
