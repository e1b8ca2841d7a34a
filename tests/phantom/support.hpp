// SPDX-License-Identifier: BSD-3-Clause
// What the phantom tests share: hand-made trajectories, Gauss-Legendre points and a sensitivity at a place.
#pragma once
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/phantom/phantom.hpp"

namespace findrho::testing {

using Complex = std::complex<double>;
using Point = std::array<double, 3>;

inline Trajectory trajectory(int dims, std::vector<Point> const& points) {
  Trajectory t;
  t.dims = dims;
  for (Point const& k : points) {
    for (int d = 0; d < dims; ++d) t[d].push_back(k[static_cast<std::size_t>(d)]);
  }
  return t;
}

/// Nodes and weights on -1..1 by Newton's method.
inline std::vector<std::pair<double, double>> gauss_legendre(int n) {
  std::vector<std::pair<double, double>> rule;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 0;
    for (int iteration = 0; iteration < 100; ++iteration) {
      auto const order = static_cast<unsigned>(n);
      double const p = std::legendre(order, x);
      slope = n * (x * p - std::legendre(order - 1, x)) / (x * x - 1);
      double const step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    rule.emplace_back(x, 2 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

/// The sensitivity of coil c at r.
inline Complex sensitivity(CoilSet const& coils, std::size_t c, Point const& r) {
  auto const exponents = monomials(coils.dims, coils.degree);
  Complex sum = 0;
  for (std::size_t a = 0; a < exponents.size(); ++a) {
    sum += coils.coefficients[c][a] * std::pow(2 * r[0], exponents[a][0]) *
           std::pow(2 * r[1], exponents[a][1]) * std::pow(2 * r[2], exponents[a][2]);
  }
  return sum;
}

/// What the call throws, "" where it throws nothing.
template <class Call>
std::string refusal(Call const& call) {
  try {
    call();
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

}  // namespace findrho::testing
