// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/solver/cg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "conformance/dense.hpp"
#include "conformance/random.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

using laws::Dense;
using laws::random_array;
using laws::relative_error;

constexpr std::int64_t kSize = 40;
Shape const kShape{{Axis::other, kSize}};

// M^H M + 0.3, condition number some hundreds
Eigen::MatrixXcd positive_definite() {
  Array<std::complex<double>> const m = random_array<double>({{Axis::other, kSize * kSize}}, 1);
  Eigen::MatrixXcd const M = Eigen::Map<Eigen::MatrixXcd const>(m.data(), kSize, kSize);
  return M.adjoint() * M / static_cast<double>(kSize) + 0.3 * Eigen::MatrixXcd::Identity(kSize, kSize);
}

template <class T>
double error_against_direct_solution() {
  Eigen::MatrixXcd const A = positive_definite();
  Array<std::complex<T>> const b = random_array<T>(kShape, 2);
  Array<std::complex<double>> const b64 = convert<std::complex<double>>(b.view());
  Eigen::VectorXcd const direct = A.ldlt().solve(Eigen::Map<Eigen::VectorXcd const>(b64.data(), kSize));
  Array<std::complex<T>> x(kShape);
  CgReport const report = cg<T>(Context::cpu(1), Dense<T>(A), b, x,
                                {.max_iterations = 200, .tolerance = 4 * std::numeric_limits<T>::epsilon()});
  EXPECT_EQ(report.reason, StopReason::converged);
  return relative_error<std::complex<T> const, std::complex<double> const>(x.view(), {direct.data(), kShape});
}

TEST(Cg, SolvesASmallSystemLikeADirectSolver) {
  // The error is at most the residual times the condition number: eigenvalues 0.3 to about 4.3, 15; the recurrence
  // itself drifts from the true residual by a few eps per step (Greenbaum 1997, ch. 7): 15 x (4 + 40) eps < 1000 eps.
  EXPECT_LE(error_against_direct_solution<double>(), 1000 * std::numeric_limits<double>::epsilon());
  EXPECT_LE(error_against_direct_solution<float>(), 1000 * std::numeric_limits<float>::epsilon());
}

// The spectrum of F^H F of a scan that samples the centre of k-space densely: few large eigenvalues, many small ones.
template <class T>
class DenseCentre final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  static constexpr std::int64_t kModes = 2000;
  DenseCentre() : LinearOperator<T>({{Axis::other, kModes}}, {{Axis::other, kModes}}) {}

 private:
  // A Householder reflection H on both sides spreads the rounding of every mode over all elements, as an FFT does.
  void do_forward(Context const&, View<C const> x, View<C> y, Write) const override {
    for (std::int64_t n = 0; n < kModes; ++n) y[n] = x[n];
    reflect(y);
    for (std::int64_t n = 0; n < kModes; ++n)
      y[n] *= static_cast<T>(n < 3 ? std::pow(0.3, n) : 3e-4 + 2e-3 * static_cast<double>(n) / kModes);
    reflect(y);
  }
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override {
    do_forward(context, y, x, write);
  }
  static void reflect(View<C> v) {
    C sum = 0;
    for (C const& value : v) sum += value;
    for (C& value : v) value -= T(2) / T(kModes) * sum;
  }
};

template <class T>
Array<std::complex<T>> after_steps(int steps, int kept) {
  Shape const shape{{Axis::other, DenseCentre<T>::kModes}};
  Array<std::complex<T>> const b = random_array<T>(shape, 5);
  Array<std::complex<T>> x(shape);
  cg<T>(Context::cpu(1), DenseCentre<T>(), b, x,
        {.max_iterations = steps, .tolerance = 0, .kept_residuals = kept});
  return x;
}

TEST(Cg, InFloatFollowsDoubleWhereFewEigenvaluesStandOut) {
  // Rounding of 6e-8 against a condition number of 3000 allows 2e-4 of the solution, whatever the method; plain CG loses
  // far more, because what it lost once it has to find again.
  for (int const steps : {8, 12, 16}) {
    Array<std::complex<double>> const exact = after_steps<double>(steps, 16);
    EXPECT_LE(relative_error(after_steps<float>(steps, CgOptions{}.kept_residuals), exact), 2e-4) << steps;
  }
  EXPECT_GT(
      relative_error(after_steps<float>(12, 0), after_steps<double>(12, 16)),
      4 * relative_error(after_steps<float>(12, CgOptions{}.kept_residuals), after_steps<double>(12, 16)));
}

TEST(Cg, ReportsTrueResidualAndObjective) {
  using C = std::complex<double>;
  Eigen::MatrixXcd const A = positive_definite();
  Array<C> const b = random_array<double>(kShape, 3);
  Eigen::Map<Eigen::VectorXcd const> const rhs(b.data(), kSize);
  for (int const iterations : {1, 2, 7}) {
    Array<C> x(kShape);
    CgReport const report =
        cg<double>(Context::cpu(1), Dense<double>(A), b, x,
                   {.max_iterations = iterations, .tolerance = 0, .objective_constant = 50});
    Eigen::Map<Eigen::VectorXcd const> const solution(x.data(), kSize);
    EXPECT_EQ(report.reason, StopReason::max_iterations);
    EXPECT_EQ(report.iterations, iterations);
    ASSERT_EQ(report.residual.size(), static_cast<std::size_t>(iterations));
    ASSERT_EQ(report.objective.size(), static_cast<std::size_t>(iterations));
    // both sides are sums of 40 terms of order 1 to 100: 1e-12 is 4000 eps
    EXPECT_NEAR(report.residual.back(), (rhs - A * solution).norm() / rhs.norm(), 1e-12);
    double const quadratic = 0.5 * (solution.adjoint() * A * solution)(0).real();
    EXPECT_NEAR(report.objective.back(), 50 + quadratic - rhs.dot(solution).real(), 1e-12 * 100);
  }
}

TEST(Cg, NeverRaisesTheObjective) {
  Array<std::complex<double>> const b = random_array<double>(kShape, 4);
  Array<std::complex<double>> x(kShape);
  CgReport const report = cg<double>(Context::cpu(1), Dense<double>(positive_definite()), b, x,
                                     {.max_iterations = 20, .tolerance = 0});
  for (std::size_t i = 1; i < report.objective.size(); ++i)
    EXPECT_LT(report.objective[i], report.objective[i - 1]);
}

TEST(Cg, StartsFromWhatXHolds) {
  using C = std::complex<double>;
  Eigen::MatrixXcd const A = positive_definite();
  Array<C> const solution = random_array<double>(kShape, 5);
  Array<C> b(kShape), x = copy(solution.view());
  Context const context = Context::cpu(1);
  Dense<double>(A).forward(context, solution, b);
  CgReport const report = cg<double>(context, Dense<double>(A), b, x, {.tolerance = 1e-12});
  EXPECT_EQ(report.reason, StopReason::converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(std::memcmp(x.data(), solution.data(), kSize * sizeof(C)), 0);

  x[3] += 1.0;
  EXPECT_EQ(cg<double>(context, Dense<double>(A), b, x, {.max_iterations = 100, .tolerance = 1e-12}).reason,
            StopReason::converged);
  // condition number 15 times the tolerance
  EXPECT_LE(relative_error(x, solution), 15e-12);
}

TEST(Cg, GivesZeroForAZeroRightHandSide) {
  Array<std::complex<float>> const b(kShape);
  Array<std::complex<float>> x = random_array<float>(kShape, 6);
  CgReport const report = cg<float>(Context::cpu(1), Dense<float>(positive_definite()), b, x);
  EXPECT_EQ(report.reason, StopReason::converged);
  EXPECT_EQ(report.iterations, 0);
  for (auto const& value : x) EXPECT_EQ(value, std::complex<float>());
}

TEST(Cg, StopsOnBreakdownOfAnIndefiniteOperator) {
  Eigen::MatrixXcd A = Eigen::MatrixXcd::Identity(kSize, kSize);
  A(7, 7) = -100;
  Array<std::complex<double>> const b = random_array<double>(kShape, 7);
  Array<std::complex<double>> x(kShape);
  CgReport const report = cg<double>(Context::cpu(1), Dense<double>(A), b, x);
  EXPECT_EQ(report.reason, StopReason::breakdown);
  for (auto const& value : x) EXPECT_TRUE(std::isfinite(value.real()) && std::isfinite(value.imag()));
}

// Positive definite until the given product, which returns NaN.
class FailsLater final : public LinearOperator<double> {
 public:
  explicit FailsLater(int good_products)
      : LinearOperator<double>(kShape, kShape), good_(positive_definite()), left_(good_products) {}

 private:
  void do_forward(Context const& context, View<C const> x, View<C> y, Write write) const override {
    good_.forward(context, x, y, write);
    if (left_-- == 0) y[11] = std::numeric_limits<double>::quiet_NaN();
  }
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override {
    do_forward(context, y, x, write);
  }
  Dense<double> good_;
  mutable int left_;
};

TEST(Cg, StopsOnBreakdownOfNanAndKeepsTheBestIterate) {
  Array<std::complex<double>> const b = random_array<double>(kShape, 8);
  Array<std::complex<double>> x(kShape), three(kShape);
  CgReport const report = cg<double>(Context::cpu(1), FailsLater(3), b, x);
  EXPECT_EQ(report.reason, StopReason::breakdown);
  EXPECT_EQ(report.iterations, 3);
  cg<double>(Context::cpu(1), Dense<double>(positive_definite()), b, three, {.max_iterations = 3});
  EXPECT_EQ(std::memcmp(x.data(), three.data(), kSize * sizeof(x[0])), 0);
}

TEST(Cg, StopsOnBreakdownOfNanInTheRightHandSide) {
  Array<std::complex<double>> b = random_array<double>(kShape, 9), x(kShape);
  b[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cg<double>(Context::cpu(1), Dense<double>(positive_definite()), b, x).reason,
            StopReason::breakdown);
  for (auto const& value : x) EXPECT_EQ(value, std::complex<double>());
}

TEST(Cg, ReturnsTheCurrentImageWhenCancelled) {
  Array<std::complex<double>> const b = random_array<double>(kShape, 10);
  Array<std::complex<double>> x(kShape), four(kShape);
  std::atomic<bool> cancel{false};
  Context context = Context::cpu(1);
  context.set_cancel_flag(&cancel);
  context.set_event_sink([&](Event const& event) {
    if (event.type == Event::Type::iteration && event.step == 4) cancel = true;
  });
  CgReport const report = cg<double>(context, Dense<double>(positive_definite()), b, x, {.tolerance = 0});
  EXPECT_EQ(report.reason, StopReason::cancelled);
  EXPECT_EQ(report.iterations, 4);
  cg<double>(Context::cpu(1), Dense<double>(positive_definite()), b, four,
             {.max_iterations = 4, .tolerance = 0});
  EXPECT_EQ(std::memcmp(x.data(), four.data(), kSize * sizeof(x[0])), 0);
}

TEST(Cg, EmitsOneEventPerIteration) {
  std::vector<Event> events;
  Context context = Context::cpu(1);
  context.set_event_sink([&](Event const& event) { events.push_back(event); });
  Array<std::complex<double>> const b = random_array<double>(kShape, 11);
  Array<std::complex<double>> x(kShape);
  CgReport const report = cg<double>(context, Dense<double>(positive_definite()), b, x,
                                     {.max_iterations = 5, .tolerance = 0, .phase = "slice 3"});
  ASSERT_EQ(events.size(), 5u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].type, Event::Type::iteration);
    EXPECT_EQ(events[i].text, "slice 3");
    EXPECT_EQ(events[i].step, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(events[i].total, 5);
    EXPECT_EQ(events[i].residual, report.residual[i]);
    EXPECT_EQ(events[i].objective, report.objective[i]);
  }
}

// Multiplies element i by 1 + i / n; large enough for many blocks.
class Ramp final : public LinearOperator<float> {
 public:
  explicit Ramp(std::int64_t n) : LinearOperator<float>({{Axis::other, n}}, {{Axis::other, n}}) {}

 private:
  void do_forward(Context const&, View<C const> x, View<C> y, Write) const override {
    for (std::int64_t i = 0; i < x.size(); ++i)
      y[i] = x[i] * (1 + static_cast<float>(i) / static_cast<float>(x.size()));
  }
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override {
    do_forward(context, y, x, write);
  }
};

TEST(Cg, GivesTheSameBytesForAnyNumberOfThreads) {
  Ramp const A(100003);
  Array<std::complex<float>> const b = random_array<float>(A.domain(), 12);
  Array<std::complex<float>> one(A.domain()), three(A.domain());
  cg<float>(Context::cpu(1), A, b, one, {.max_iterations = 6, .tolerance = 0});
  cg<float>(Context::cpu(3), A, b, three, {.max_iterations = 6, .tolerance = 0});
  EXPECT_EQ(std::memcmp(one.data(), three.data(), static_cast<std::size_t>(one.size()) * sizeof(one[0])), 0);
}

TEST(Cg, RefusesShapesAndOptionsThatDoNotFit) {
  Dense<double> const A(positive_definite());
  Array<std::complex<double>> b(kShape), x(kShape), wrong({{Axis::other, 3}});
  Context const context = Context::cpu(1);
  EXPECT_THROW(cg<double>(context, A, wrong, x), Error);
  EXPECT_THROW(cg<double>(context, A, b, wrong), Error);
  EXPECT_THROW(cg<double>(context, A, b, x, {.max_iterations = -1}), Error);
  EXPECT_THROW(cg<double>(context, A, b, x, {.tolerance = std::numeric_limits<double>::quiet_NaN()}), Error);
}

}  // namespace
}  // namespace findrho
