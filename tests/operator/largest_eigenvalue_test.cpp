// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/operator/largest_eigenvalue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

// Any Hermitian operator looks like this one in the basis of its eigenvectors, and the start vector is Gaussian in any.
template <class T>
class Diagonal final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  explicit Diagonal(std::vector<double> values)
      : LinearOperator<T>({{Axis::other, static_cast<std::int64_t>(values.size())}},
                          {{Axis::other, static_cast<std::int64_t>(values.size())}}),
        values_(std::move(values)) {}
  mutable int products = 0;

 private:
  void do_forward(Context const&, View<C const> x, View<C> y, Write) const override {
    ++products;
    for (std::int64_t i = 0; i < x.size(); ++i)
      y[i] = static_cast<T>(values_[static_cast<std::size_t>(i)]) * x[i];
  }
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override {
    do_forward(context, y, x, write);
  }
  std::vector<double> values_;
};

std::vector<double> spectrum(std::size_t n, std::function<double(double)> const& value) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value(static_cast<double>(i) / static_cast<double>(n - 1));
  return values;
}

template <class T>
void expect_one_percent(std::vector<double> const& values, double largest) {
  Context const context = Context::cpu(2);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    double const found = largest_eigenvalue(context, Diagonal<T>(values), {.seed = seed});
    EXPECT_LE(std::abs(found / largest - 1), 0.01) << "seed " << seed;
  }
}

TEST(LargestEigenvalue, IsWithinOnePercentWhereItStandsAlone) {
  auto values = spectrum(20000, [](double t) { return t; });
  values[77] = 500;
  expect_one_percent<float>(values, 500);
  expect_one_percent<double>(values, 500);
}

TEST(LargestEigenvalue, IsWithinOnePercentInAClusterAtTheTop) {
  // Half of the spectrum within 0.1 % of the top, the rest far below.
  expect_one_percent<double>(spectrum(20000, [](double t) { return t < 0.5 ? t : 7 - 0.007 * (1 - t); }), 7);
}

TEST(LargestEigenvalue, IsWithinOnePercentOfAContinuum) {
  expect_one_percent<float>(spectrum(20000, [](double t) { return 3 * t; }), 3);
  expect_one_percent<double>(spectrum(20000, [](double t) { return 3 * std::sqrt(t); }), 3);
}

TEST(LargestEigenvalue, FindsOneValueFivePercentAboveACrowd) {
  // The start vector has only 1/20000 of its energy there; the power method would still be in the crowd after 100 steps.
  auto values = spectrum(20000, [](double t) { return 1 - 0.001 * t; });
  values[1234] = 1.05;
  expect_one_percent<double>(values, 1.05);
}

TEST(LargestEigenvalue, IsExactForMultiplesOfTheIdentity) {
  Context const context = Context::cpu(1);
  Diagonal<double> const A(std::vector<double>(100, 2.5));
  EXPECT_NEAR(largest_eigenvalue(context, A), 2.5, 1e-13);
  EXPECT_EQ(A.products, 1);
  EXPECT_EQ(largest_eigenvalue(context, Diagonal<double>(std::vector<double>(100, 0.0))), 0);
}

TEST(LargestEigenvalue, IsTheSameForAnyThreadsAndDiffersWithTheSeed) {
  Diagonal<float> const A(spectrum(50000, [](double t) { return t; }));
  double const one = largest_eigenvalue(Context::cpu(1), A, {.seed = 4});
  EXPECT_EQ(one, largest_eigenvalue(Context::cpu(3), A, {.seed = 4}));
  EXPECT_NE(one, largest_eigenvalue(Context::cpu(1), A, {.seed = 5}));
}

TEST(LargestEigenvalue, WarnsWhenTheIterationsDoNotSuffice) {
  Context context = Context::cpu(1);
  int warnings = 0;
  context.set_event_sink([&](Event const& event) { warnings += event.type == Event::Type::warning; });
  largest_eigenvalue(context, Diagonal<double>(spectrum(1000, [](double t) { return t; })),
                     {.max_iterations = 3});
  EXPECT_EQ(warnings, 1);
}

TEST(LargestEigenvalue, RefusesBadOptionsAndValues) {
  Context const context = Context::cpu(1);
  Diagonal<double> const A({1.0, 2.0}), broken({1.0, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_THROW(largest_eigenvalue(context, A, {.tolerance = 0}), Error);
  EXPECT_THROW(largest_eigenvalue(context, A, {.max_iterations = 0}), Error);
  EXPECT_THROW(largest_eigenvalue(context, broken), Error);
}

}  // namespace
}  // namespace findrho
