// SPDX-License-Identifier: BSD-3-Clause
// Small exact sums with random samples, and how far a rung may be from them.
#pragma once
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "findrho/dft/ladder.hpp"

namespace findrho::test {

inline Matrix const kOddBox{.x = 5, .y = 6, .z = 7};

/// Random positions in the full band of the matrix.
inline Trajectory random_trajectory(Matrix const& matrix, std::int64_t samples, unsigned seed) {
  std::mt19937 random(seed);
  Trajectory t;
  t.dims = matrix.dims();
  for (int d = 0; d < t.dims; ++d) {
    double const edge = static_cast<double>(matrix[d]) / 2;
    std::uniform_real_distribution<double> position(-edge, edge);
    for (std::int64_t m = 0; m < samples; ++m) t[d].push_back(position(random));
  }
  return t;
}

inline std::vector<std::complex<double>> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<std::complex<double>> values(static_cast<std::size_t>(count));
  for (auto& v : values) v = {value(random), value(random)};
  return values;
}

inline std::vector<double> random_weights(std::int64_t count) {
  std::vector<double> weights;
  for (auto const& v : random_values(count, 5)) weights.push_back(1 + v.real() / 2);
  return weights;
}

/// F^H d and Q with Phi and weights, or F rho; Q knows no coils.
template <class T>
ExactSum<T> small_sum(SumKind kind, Matrix const& matrix, std::int64_t samples, std::int64_t coils = 1) {
  Trajectory const t = random_trajectory(matrix, samples, 1);
  auto const phi = random_values(samples, 3);
  if (kind == SumKind::fhd) return fhd_sum<T>(t, matrix, random_values(coils * samples, 2), phi);
  if (kind == SumKind::q) return q_sum<T>(t, matrix, random_weights(samples), phi);
  auto rho = random_values(coils * matrix.voxels(), 4);
  return forward_sum<T>(t, matrix, View<std::complex<double> const>(rho.data(), matrix.shape(coils)));
}

/// Sum of |mu|, of the coil where it is largest.
template <class T>
double sum_of_mu(ExactSum<T> const& sum) {
  double most = 0;
  std::size_t const samples = sum.kx.size();
  for (std::size_t first = 0; first < sum.d_re.size(); first += samples) {
    double mu = 0;
    for (std::size_t m = 0; m < samples; ++m) {
      std::complex<double> const phi(sum.phi_re[m], sum.phi_im[m]),
          d(sum.d_re[first + m], sum.d_im[first + m]);
      mu += sum.kind == SumKind::q ? std::abs(d.real()) * std::norm(phi) : std::abs(phi * d);
    }
    most = std::max(most, mu);
  }
  return most;
}

/// Rounding to u = 2^-24 or 2^-53. An angle of S turns at most takes three roundings in turns, one for the factor and
/// one for the sine's own reduction: 5 u 2 pi S; sine, cosine and the products with Mu add 6 u; adding M terms one
/// by one, each to a sum below sum |mu|, adds M u. All are multiplied by sum |mu| of the coil where it is largest: the
/// worst case, without luck.
template <class T>
double worst_error(ExactSum<T> const& sum) {
  double const u = std::numeric_limits<T>::epsilon() / 2;
  auto const most = [](std::vector<T> const& v) {
    double largest = 0;
    for (T x : v) largest = std::max(largest, std::abs(static_cast<double>(x)));
    return largest;
  };
  double const turns = most(sum.kx) * most(sum.x) + most(sum.ky) * most(sum.y) + most(sum.kz) * most(sum.z);
  return u * (10 * std::numbers::pi * turns + 6 + static_cast<double>(sum.samples())) * sum_of_mu(sum);
}

/// The largest distance of a result from the sum in double, over all voxels of all coils.
template <class T>
double largest_error(Context const& context, ExactSum<T> const& sum, std::vector<T> const& re,
                     std::vector<T> const& im) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(sum.voxels()));
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<std::int64_t>(n);
  auto const coils = static_cast<std::size_t>(sum.coils());
  std::size_t const expected = coils * all.size();
  if (re.size() != expected || im.size() != expected) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t coil = 0; coil < coils; ++coil) {
    auto const exact = exact_at(context, sum, all, 0, static_cast<std::int64_t>(coil));
    for (std::size_t n = 0; n < all.size(); ++n) {
      std::complex<double> const value(re[coil * all.size() + n], im[coil * all.size() + n]);
      double const distance = std::abs(value - exact[n]);
      largest = distance <= largest ? largest : distance;  // NaN counts as larger
    }
  }
  return largest;
}

}  // namespace findrho::test
