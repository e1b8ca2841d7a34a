// SPDX-License-Identifier: BSD-3-Clause
#include "ball_transform.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "findrho/phantom/coils.hpp"

namespace findrho::detail {
namespace {

using std::numbers::pi;

// Below this, the power series converges in 40 terms and cancels no more than two digits; above it, the
// upward recurrence is stable for the orders used here, which are not much larger (up to kMostDegree + 1).
constexpr double kSeriesBelow = 8;

/// Bessel over power, f_n(q) = j_{n-1}(q)/q^{n-1}, J_n(q)/q^n or j_n(q)/q^n for d = 1, 2, 3:
///   f_n = sum_k (-q^2/2)^k / (k! (2n+d)(2n+d+2)...(2n+d+2k-2)) / (d (d+2) ... (2n+d-2))
/// J_n/q^n has 1/(2^n n!), j_n/q^n has 1/(2n+1)!!, both being this product.
double series(int dims, int n, double q_sq) {
  double term = 1;
  for (int i = 0; i < n; ++i) term /= dims + 2 * i;
  double sum = term;
  for (int k = 1; k < 40; ++k) {
    term *= -0.5 * q_sq / (k * (2 * n + dims + 2 * (k - 1)));
    sum += term;
    if (std::abs(term) < 1e-17 * std::abs(sum)) break;
  }
  return sum;
}

/// Exponents (i, j, k) in as many variables as `dims`, by rising total.
std::vector<std::array<int, 3>> exponents_of(int dims, int degree) {
  if (dims > 1) return monomials(dims, degree);
  std::vector<std::array<int, 3>> powers;
  for (int i = 0; i <= degree; ++i) powers.push_back({i, 0, 0});
  return powers;
}

}  // namespace

void radial_functions(int dims, double q, int count, double* values) {
  double const c = dims == 1 ? 2 : dims == 2 ? 2 * pi : 4 * pi;
  double const q_sq = q * q;
  // f_{n-1} = (2n + d - 2) f_n - q^2 f_{n+1}, run towards smaller n (small q) or larger n (large q).
  if (q < kSeriesBelow) {
    double above = series(dims, count + 1, q_sq), here = series(dims, count, q_sq);
    for (int n = count; n >= 1; --n) {
      values[n - 1] = c * here;
      double const below = (2 * n + dims - 2) * here - q_sq * above;
      above = here;
      here = below;
    }
    return;
  }
  double below, here;
  if (dims == 1) {
    below = std::cos(q);
    here = std::sin(q) / q;
  } else if (dims == 2) {
    below = ::j0(q);
    here = ::j1(q) / q;
  } else {
    double const s = std::sin(q), co = std::cos(q);
    below = s / q;
    here = (below - co) / q_sq;
  }
  double const inverse = 1 / q_sq;
  for (int n = 1; n <= count; ++n) {
    values[n - 1] = c * here;
    double const above = ((2 * n + dims - 2) * here - below) * inverse;
    below = here;
    here = above;
  }
}

BallTransform::BallTransform(int dims, int degree) : dims_(dims), degree_(degree) {
  // Entry (n, a) of the table is (d/dq)^a G_n. It takes entries of n + 1 with one derivative less:
  //   (d/dq)^{b+e} G_n = -q_e (d/dq)^b G_{n+1} - b_e (d/dq)^{b-e} G_{n+1}
  // as in the recurrence of McMurchie and Davidson, J. Comput. Phys. 26:218 (1978). Only |a| + n <= degree is
  // needed.
  std::map<std::pair<int, std::array<int, 3>>, std::size_t> index;
  auto const exponents = exponents_of(dims, degree);
  for (int n = 0; n <= degree; ++n) {
    for (auto const& a : exponents) {
      if (a[0] + a[1] + a[2] + n <= degree) index[{n, a}] = table_size_++;
    }
    radial_.push_back(index.at({n, {0, 0, 0}}));
  }
  for (auto const& a : exponents) {  // by rising |a|, so that what a step needs is there
    for (int n = 0; a[0] + a[1] + a[2] > 0 && a[0] + a[1] + a[2] + n <= degree; ++n) {
      int const axis = a[0] > 0 ? 0 : a[1] > 0 ? 1 : 2;
      auto const e = static_cast<std::size_t>(axis);
      std::array<int, 3> from = a;
      int const count = --from[e];
      std::array<int, 3> below = from;
      if (count > 0) --below[e];
      steps_.push_back({index.at({n, a}), index.at({n + 1, from}), index.at({n + 1, below}), axis, count});
    }
  }
}

void BallTransform::derivatives(Lane const* q, std::vector<Lane>& table) const {
  std::array<double, kMostDegree + 1> radial{};
  for (std::size_t b = 0; b < kBlock; ++b) {
    double length_sq = 0;
    for (int d = 0; d < dims_; ++d) length_sq += q[d][b] * q[d][b];
    radial_functions(dims_, std::sqrt(length_sq), degree_ + 1, radial.data());
    for (std::size_t n = 0; n < radial_.size(); ++n) table[radial_[n]][b] = radial[n];
  }
  for (Step const& step : steps_) {
    Lane const& component = q[step.axis];
    Lane const& from = table[step.from];
    Lane& to = table[step.to];
    if (step.count == 0) {
      for (std::size_t b = 0; b < kBlock; ++b) to[b] = -component[b] * from[b];
    } else {
      Lane const& below = table[step.below];
      double const count = step.count;
      for (std::size_t b = 0; b < kBlock; ++b) to[b] = -component[b] * from[b] - count * below[b];
    }
  }
}

}  // namespace findrho::detail
