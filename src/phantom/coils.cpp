// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/coils.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>
#include <string>

#include "coil_loops.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

constexpr int kDegree = 5;  // 8 coils: 2.7 % (2D) and 0.6 % (3D) rms from the field of loops

double twice_position(std::int64_t n, std::int64_t size) {
  return 2 * static_cast<double>(n - size / 2) / static_cast<double>(size);
}

/// Coefficients in 2x of a sensitivity at fixed 2y = v and 2z = w.
std::vector<std::complex<double>> row_polynomial(std::vector<std::complex<double>> const& polynomial,
                                                 std::vector<std::array<int, 3>> const& exponents, double v,
                                                 double w) {
  std::vector<std::complex<double>> row;
  for (std::size_t a = 0; a < exponents.size(); ++a) {
    auto const power = static_cast<std::size_t>(exponents[a][0]);
    if (row.size() <= power) row.resize(power + 1);
    row[power] += polynomial[a] * std::pow(v, exponents[a][1]) * std::pow(w, exponents[a][2]);
  }
  return row;
}

void normalise_at_centre(CoilSet& set) {
  double sum_sq = 0;
  for (auto const& c : set.coefficients) sum_sq += std::norm(c[0]);
  for (auto& c : set.coefficients) {
    for (auto& value : c) value /= std::sqrt(sum_sq);
  }
}

}  // namespace

CoilSet uniform_coil(int dims) {
  return {dims, 0, {{1.0}}};
}

CoilSet make_coils(int dims, std::int64_t coils) {
  if (coils < 1 || coils > 256) {
    throw Error(ErrorKind::bad_option, fmt::format("the number of coils is {}", coils), "give 1 to 256");
  }
  if (coils == 1) return uniform_coil(dims);
  auto const exponents = monomials(dims, kDegree);
  auto const loops = detail::place_loops(dims, coils);
  auto const points = detail::fit_points(dims);

  auto const rows = static_cast<Eigen::Index>(points.size()),
             columns = static_cast<Eigen::Index>(exponents.size());
  Eigen::MatrixXd basis(rows, columns), fields(rows, 2 * coils);
  for (Eigen::Index p = 0; p < rows; ++p) {
    auto const& r = points[static_cast<std::size_t>(p)];
    for (Eigen::Index a = 0; a < columns; ++a) {
      auto const& e = exponents[static_cast<std::size_t>(a)];
      basis(p, a) = std::pow(2 * r[0], e[0]) * std::pow(2 * r[1], e[1]) * std::pow(2 * r[2], e[2]);
    }
    for (Eigen::Index c = 0; c < coils; ++c) {
      auto const field = detail::receive_field(loops[static_cast<std::size_t>(c)], r);
      fields(p, 2 * c) = field.real();
      fields(p, 2 * c + 1) = field.imag();
    }
  }
  Eigen::MatrixXd const fitted = basis.householderQr().solve(fields);

  CoilSet set{dims, kDegree, {}};
  for (Eigen::Index c = 0; c < coils; ++c) {
    auto& coefficients = set.coefficients.emplace_back();
    for (Eigen::Index a = 0; a < columns; ++a)
      coefficients.emplace_back(fitted(a, 2 * c), fitted(a, 2 * c + 1));
  }
  normalise_at_centre(set);
  return set;
}

Array<std::complex<double>> coil_maps(Matrix const& matrix, CoilSet const& coils) {
  if (coils.dims != matrix.dims()) {
    throw Error(ErrorKind::bad_shape,
                "the coils have " + std::to_string(coils.dims) + " dimensions, the matrix " +
                    std::to_string(matrix.dims()),
                "make the coils for this matrix");
  }
  auto const exponents = monomials(coils.dims, coils.degree);
  Array<std::complex<double>> maps(matrix.shape(coils.coils()));
  std::int64_t i = 0;
  for (auto const& polynomial : coils.coefficients) {
    for (std::int64_t z = 0; z < matrix.z; ++z) {
      for (std::int64_t y = 0; y < matrix.y; ++y, i += matrix.x) {
        auto const row =
            row_polynomial(polynomial, exponents, twice_position(y, matrix.y), twice_position(z, matrix.z));
        for (std::int64_t x = 0; x < matrix.x; ++x) {
          maps[i + x] =
              std::accumulate(row.rbegin(), row.rend(), std::complex<double>{},
                              [u = twice_position(x, matrix.x)](auto sum, auto c) { return sum * u + c; });
        }
      }
    }
  }
  return maps;
}

Array<std::complex<double>> coil_maps(Matrix const& matrix, std::int64_t coils) {
  return coil_maps(matrix, make_coils(matrix.dims(), coils));
}

}  // namespace findrho
