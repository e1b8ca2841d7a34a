// SPDX-License-Identifier: BSD-3-Clause
// Lanczos without reorthogonalisation: rounding may repeat Ritz values that have converged, which leaves the
// largest one where it is. The recurrence of the Lanczos polynomials p_k with q_{k+1} = p_k(A) q_1, |q_{k+1}|
// = 1, gives |p_k(lambda_max)| |<v, q_1>| <= 1 for the top eigenvector v, hence an upper bound once |<v,
// q_1>| is bounded below.
#include "findrho/operator/largest_eigenvalue.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/operator/vector_ops.hpp"
#include "operator/lanczos.hpp"

namespace findrho {
namespace {

// The Lanczos tridiagonal matrix: diagonal alpha_1..alpha_k, off-diagonal beta_2..beta_{k+1} (the last one
// outside).
struct Tridiagonal {
  std::vector<double> alpha, beta;

  // Sturm: no eigenvalue above x exactly when all pivots of x - T are positive.
  bool all_below(double x) const {
    double pivot = 1;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      pivot = x - alpha[i] - (i > 0 ? beta[i - 1] * beta[i - 1] / pivot : 0.0);
      if (!(pivot > 0)) return false;
    }
    return true;
  }

  double largest() const {
    double low = 0, high = 0;  // Gershgorin
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      high = std::max(high, alpha[i] + (i > 0 ? beta[i - 1] : 0.0) + (i + 1 < alpha.size() ? beta[i] : 0.0));
    }
    while (high - low > 1e-14 * high) {
      double const middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      (all_below(middle) ? high : low) = middle;
    }
    return high;
  }

  // p_k(x) for x above all Ritz values, where it grows with x; stops early, at the bound, before it
  // overflows.
  bool polynomial_reaches(double bound, double x) const {
    double before = 0, now = 1;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      double const next = ((x - alpha[i]) * now - (i > 0 ? beta[i - 1] : 0.0) * before) / beta[i];
      before = now;
      now = next;
      if (!(now < 1e200)) return true;
    }
    return now >= bound;
  }
};

std::uint64_t mix(std::uint64_t z) {  // splitmix64, Steele, Lea and Flood, OOPSLA 2014
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

// Complex Gaussian numbers (Box-Muller) from a counter, so that threads do not change them.
template <class T>
void fill_gaussian(Context const& context, std::uint64_t seed, View<std::complex<T>> v) {
  std::uint64_t const key = mix(seed);
  for_blocks(context, v.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint64_t const counter = key + 2 * static_cast<std::uint64_t>(i);
      double const radius = std::sqrt(-std::log(uniform(mix(counter))));
      double const angle = 2 * std::numbers::pi * uniform(mix(counter + 1));
      v[i] = {static_cast<T>(radius * std::cos(angle)), static_cast<T>(radius * std::sin(angle))};
    }
  });
}

template <class T>
void scale(Context const& context, double factor, View<std::complex<T>> v) {
  for_blocks(context, v.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) v[i] *= static_cast<T>(factor);
  });
}

template <class T>
double norm(Context const& context, Array<std::complex<T>> const& v) {
  return std::sqrt(real_dot<T>(context, v, v));
}

template <class T>
class HostLanczos final : public LanczosVectors {
 public:
  HostLanczos(Context const& context, LinearOperator<T> const& A, std::uint64_t seed)
      : context_(context), A_(A), q_(A.domain()), before_(A.domain()), next_(A.domain()) {
    fill_start_vector<T>(context, seed, q_);
  }
  Step step(double beta_before) override {
    A_.forward(context_, q_, next_);
    double const alpha = real_dot<T>(context_, q_, next_);
    axpy<T>(context_, static_cast<T>(-alpha), q_, next_);
    if (beta_before > 0) axpy<T>(context_, static_cast<T>(-beta_before), before_, next_);
    return {alpha, norm<T>(context_, next_)};
  }
  void advance(double beta) override {
    scale<T>(context_, 1 / beta, next_);
    std::swap(before_, q_);
    std::swap(q_, next_);
  }

 private:
  Context const& context_;
  LinearOperator<T> const& A_;
  Array<std::complex<T>> q_, before_, next_;
};

}  // namespace

void check_power_options(PowerOptions const& options) {
  if (!(options.tolerance > 0 && options.tolerance < 1)) {
    throw Error(ErrorKind::bad_option,
                fmt::format("tolerance of the largest eigenvalue is {}", options.tolerance),
                "give a number between 0 and 1");
  }
  if (options.max_iterations < 1) {
    throw Error(ErrorKind::bad_option,
                "the largest eigenvalue was given " + std::to_string(options.max_iterations) + " iterations",
                "give at least 1");
  }
}

template <class T>
void fill_start_vector(Context const& context, std::uint64_t seed, View<std::complex<T>> q) {
  fill_gaussian<T>(context, seed, q);
  scale<T>(context, 1 / std::sqrt(real_dot<T>(context, q, q)), q);
}

double largest_eigenvalue(Context const& context, LanczosVectors& vectors, std::int64_t size, double epsilon,
                          PowerOptions const& options) {
  // For Gaussian numbers, |<v, q>|^2 < failure / n with a probability of at most `failure`.
  constexpr double kFailure = 1e-2;
  double const bound = std::sqrt(static_cast<double>(size) / kFailure);

  Tridiagonal t;
  double theta = 0;
  for (int k = 1; k <= options.max_iterations; ++k) {
    auto const [alpha, beta] = vectors.step(t.beta.empty() ? 0 : t.beta.back());
    if (!std::isfinite(alpha) || !std::isfinite(beta)) {
      throw Error(ErrorKind::bad_option,
                  "the operator whose largest eigenvalue is asked returns NaN or infinity",
                  "look for NaN in the coil maps, weights and trajectory");
    }
    t.alpha.push_back(alpha);
    t.beta.push_back(beta);
    theta = t.largest();
    // q_1..q_k span an invariant subspace, up to rounding: the Ritz values are eigenvalues.
    if (beta <= 8 * epsilon * theta) return theta;
    double low = theta, high = theta * (1 + 2 * options.tolerance);
    if (t.polynomial_reaches(bound, high)) {
      for (int step = 0; step < 40; ++step) {
        double const middle = 0.5 * (low + high);
        (t.polynomial_reaches(bound, middle) ? high : low) = middle;
      }
      return 0.5 * (theta + high);
    }
    vectors.advance(beta);
  }
  context.warn(
      fmt::format("largest eigenvalue: {} iterations did not bound it to {}; the value used may be too "
                  "small",
                  options.max_iterations, options.tolerance));
  return theta;
}

template <class T>
double largest_eigenvalue(Context const& context, LinearOperator<T> const& hermitian,
                          PowerOptions const& options) {
  require_shape(hermitian.range(), hermitian.domain(), "range of an operator whose eigenvalue is asked");
  check_power_options(options);
  HostLanczos<T> vectors(context, hermitian, options.seed);
  return largest_eigenvalue(context, vectors, hermitian.domain().size(), std::numeric_limits<T>::epsilon(),
                            options);
}

template void fill_start_vector(Context const&, std::uint64_t, View<std::complex<float>>);
template void fill_start_vector(Context const&, std::uint64_t, View<std::complex<double>>);
template double largest_eigenvalue(Context const&, LinearOperator<float> const&, PowerOptions const&);
template double largest_eigenvalue(Context const&, LinearOperator<double> const&, PowerOptions const&);

}  // namespace findrho
