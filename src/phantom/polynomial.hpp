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

/// Puts affine maps into polynomials of one degree.
class Substitution {
 public:
  Substitution(int dims, int degree);

  /// Row a: the coefficients in x of the monomial u(x)^a.
  std::vector<std::vector<double>> powers(AffineMap const& u) const;

  std::vector<std::array<int, 3>> const& exponents() const { return exponents_; }

 private:
  // Monomial a is monomial `lower` times coordinate `axis`.
  struct Step {
    std::size_t lower, axis;
  };
  std::size_t dims_;
  std::vector<std::array<int, 3>> exponents_;
  std::vector<Step> steps_;
  std::vector<std::array<std::size_t, 3>>
      raised_;  // the monomial times each coordinate; size() beyond the degree
};

/// The coefficients in x of p(u(x)), from the powers of u.
Polynomial substitute(Polynomial const& p, std::vector<std::vector<double>> const& powers);

}  // namespace findrho::detail
