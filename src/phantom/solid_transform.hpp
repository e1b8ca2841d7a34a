// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms of monomials on the unit solids: a ball is one ball, a cylinder a disc times an interval, a box the
// product of intervals. Read ball_transform.hpp first.
#pragma once
#include <array>
#include <vector>

#include "ball_transform.hpp"
#include "findrho/phantom/phantom.hpp"

namespace findrho::detail {

class SolidTransform {
 public:
  using Lane = BallTransform::Lane;
  using Tables = std::array<std::vector<Lane>, 3>;  // of the factors; scratch

  SolidTransform(SolidShape shape, int dims, int degree);

  /// The first monomials(dims, degree).size() lanes of the table become the derivatives of the solid's transform at q.
  void derivatives(std::array<Lane, 3> const& q, Tables& scratch, std::vector<Lane>& table) const;

 private:
  struct Factor {
    BallTransform ball;
    std::size_t first_axis;
  };
  std::vector<Factor> factors_;
  std::vector<std::array<std::size_t, 3>>
      product_;  // for each monomial, where its factors stand in their tables
};

}  // namespace findrho::detail
