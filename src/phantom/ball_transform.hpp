// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms of monomials on the interval -1..1 (1D), unit disc (2D) or ball (3D), for blocks of frequencies at once.
//   moment_a(q) = int_{|x|<1} x^a exp(-i q . x) dx = i^|a| (d/dq)^a G(|q|),  a = (i, j, k), |a| <= degree
// with G = 2 sin(q)/q, 2 pi J_1(q)/q or 4 pi j_1(q)/q. This file computes the real derivatives of G.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace findrho::detail {

class BallTransform {
 public:
  static constexpr int kBlock = 32;  // frequencies per block: tables stay in the first-level cache
  static constexpr int kMostDegree = 8;
  using Lane = std::array<double, kBlock>;

  /// Derivatives of every order up to `degree`, numbered as monomials(dims, degree); in 1D by rising power.
  BallTransform(int dims, int degree);

  /// Elements of the table that derivatives() fills.
  std::size_t table_size() const { return table_size_; }
  /// The first monomials(dims, degree).size() lanes of the table become the derivatives at q[d][0..kBlock), d < dims.
  void derivatives(Lane const* q, std::vector<Lane>& table) const;

 private:
  // One application of d/dq_axis: table[to] = -q_axis table[from] - count table[below].
  struct Step {
    std::size_t to, from, below;
    int axis, count;
  };
  int dims_, degree_;
  std::size_t table_size_ = 0;
  std::vector<std::size_t> radial_;  // where the n-th radial function G_n stands in the table
  std::vector<Step> steps_;
};

/// G_n(q) = c j_{n+1}(q)/q^{n+1} (3D, c = 4 pi), c J_{n+1}(q)/q^{n+1} (2D, c = 2 pi) or c j_n(q)/q^n (1D, c = 2) for
/// n = 0..count-1.
/// (1/q) d/dq takes G_n to -G_{n+1}.
void radial_functions(int dims, double q, int count, double* values);

}  // namespace findrho::detail
