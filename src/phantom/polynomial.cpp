// SPDX-License-Identifier: BSD-3-Clause
#include "polynomial.hpp"

#include <map>

#include "findrho/phantom/coils.hpp"

namespace findrho {

std::vector<std::array<int, 3>> monomials(int dims, int degree) {
  std::vector<std::array<int, 3>> exponents;
  for (int total = 0; total <= degree; ++total) {
    for (int i = total; i >= 0; --i) {
      for (int j = total - i; j >= (dims == 2 ? total - i : 0); --j)
        exponents.push_back({i, j, total - i - j});
    }
  }
  return exponents;
}

namespace detail {

Substitution::Substitution(int dims, int degree)
    : dims_(static_cast<std::size_t>(dims)), exponents_(monomials(dims, degree)) {
  std::map<std::array<int, 3>, std::size_t> index;
  for (std::size_t a = 0; a < exponents_.size(); ++a) index[exponents_[a]] = a;
  for (auto const& exponent : exponents_) {
    std::size_t const axis = exponent[0] > 0 ? 0 : exponent[1] > 0 ? 1 : 2;
    auto lower = exponent;
    --lower[axis];
    auto const found = index.find(lower);
    steps_.push_back({found == index.end() ? 0 : found->second, axis});
    auto& raised = raised_.emplace_back();
    for (std::size_t e = 0; e < 3; ++e) {
      auto higher = exponent;
      ++higher[e];
      auto const above = index.find(higher);
      raised[e] = above == index.end() ? exponents_.size() : above->second;
    }
  }
}

std::vector<std::vector<double>> Substitution::powers(AffineMap const& u) const {
  std::size_t const terms = exponents_.size();
  std::vector<std::vector<double>> powers(terms, std::vector<double>(terms, 0.0));
  powers[0][0] = 1;
  for (std::size_t a = 1; a < terms; ++a) {
    auto const& lower = powers[steps_[a].lower];
    std::size_t const d = steps_[a].axis;
    for (std::size_t b = 0; b < terms; ++b) {
      if (lower[b] == 0) continue;
      powers[a][b] += lower[b] * u.offset[d];
      for (std::size_t e = 0; e < dims_; ++e) powers[a][raised_[b][e]] += lower[b] * u.matrix[d][e];
    }
  }
  return powers;
}

Polynomial substitute(Polynomial const& p, std::vector<std::vector<double>> const& powers) {
  Polynomial result(p.size());
  for (std::size_t a = 0; a < p.size(); ++a) {
    for (std::size_t b = 0; b < p.size(); ++b) result[b] += p[a] * powers[a][b];
  }
  return result;
}

}  // namespace detail
}  // namespace findrho
