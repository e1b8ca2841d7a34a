// SPDX-License-Identifier: BSD-3-Clause
// Polynomials in position, in the monomial order of CoilSet.
#pragma once
#include <array>
#include <complex>
#include <vector>

namespace findrho::detail {

using Polynomial = std::vector<std::complex<double>>;

/// u_d = offset[d] + sum_e matrix[d][e] x_e
struct AffineMap {
  std::array<double, 3> offset;
  std::array<std::array<double, 3>, 3> matrix;
};

/// The coefficients in x of p(u(x)).
Polynomial substitute(Polynomial const& p, int dims, int degree, AffineMap const& u);

}  // namespace findrho::detail
