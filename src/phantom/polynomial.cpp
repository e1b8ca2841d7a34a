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

Polynomial substitute(Polynomial const& p, int dims, int degree, AffineMap const& u) {
  auto const exponents = monomials(dims, degree);
  std::map<std::array<int, 3>, std::size_t> index;
  for (std::size_t a = 0; a < exponents.size(); ++a) index[exponents[a]] = a;

  // powers[a] = u^a as a polynomial in x, each from one of lower degree times one linear form.
  std::vector<std::vector<double>> powers(exponents.size(), std::vector<double>(exponents.size(), 0.0));
  powers[0][0] = 1;
  Polynomial result(exponents.size());
  for (std::size_t a = 0; a < exponents.size(); ++a) {
    if (a > 0) {
      std::size_t const d = exponents[a][0] > 0 ? 0 : exponents[a][1] > 0 ? 1 : 2;
      std::array<int, 3> lower = exponents[a];
      --lower[d];
      auto const& base = powers[index.at(lower)];
      for (std::size_t b = 0; b < exponents.size(); ++b) {
        if (base[b] == 0) continue;
        powers[a][b] += base[b] * u.offset[d];
        for (std::size_t e = 0; e < static_cast<std::size_t>(dims); ++e) {
          std::array<int, 3> raised = exponents[b];
          ++raised[e];
          powers[a][index.at(raised)] += base[b] * u.matrix[d][e];
        }
      }
    }
    for (std::size_t b = 0; b < exponents.size(); ++b) result[b] += p[a] * powers[a][b];
  }
  return result;
}

}  // namespace detail
}  // namespace findrho
