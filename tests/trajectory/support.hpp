// SPDX-License-Identifier: BSD-3-Clause
// Helpers of the trajectory tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/core/scan.hpp"

namespace findrho::test {

inline double radius(Trajectory const& t, std::size_t m) {
  return std::hypot(t.kx[m], t.ky[m], t.dims == 3 ? t.kz[m] : 0.0);
}

inline double sum(std::vector<double> const& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Largest |k_d| / (N_d/2) over all samples and axes.
inline double largest_over_edge(Trajectory const& t, Matrix const& matrix) {
  double largest = 0;
  for (int d = 0; d < t.dims; ++d) {
    for (double const k : t[d])
      largest = std::max(largest, std::abs(k) / (0.5 * static_cast<double>(matrix[d])));
  }
  return largest;
}

/// The message of the bad_option that `call` has to throw.
template <class Call>
std::string refused(Call const& call) {
  try {
    call();
  } catch (Error const& error) {
    EXPECT_EQ(error.kind, ErrorKind::bad_option);
    EXPECT_FALSE(error.hint.empty());
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

}  // namespace findrho::test
