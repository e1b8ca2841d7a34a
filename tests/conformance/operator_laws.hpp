// SPDX-License-Identifier: BSD-3-Clause
// The laws that every LinearOperator is held to. Apply all of them with expect_operator_laws(A).
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "conformance/allocations.hpp"
#include "conformance/random.hpp"
#include "findrho/core/error.hpp"
#include "findrho/operator/linear_operator.hpp"

namespace findrho::laws {

/// Rounding of one application, relative to the size of its result. A transform of up to 2^18 points makes
/// eps/2 per level (Higham, Accuracy and Stability, 2002, ch. 24), 9 eps at most; sums over samples and coils are
/// shorter. 32 eps leaves room for both sides of an equation.
template <class T>
constexpr double rounding() {
  return 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <class T>
std::complex<double> inner(Array<std::complex<T>> const& a, Array<std::complex<T>> const& b) {
  std::complex<double> sum = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    sum += std::conj(std::complex<double>(a[i])) * std::complex<double>(b[i]);
  }
  return sum;
}

template <class T>
double norm(Array<std::complex<T>> const& a) {
  return std::sqrt(inner(a, a).real());
}

/// <A x, y> = <x, A^H y>
template <class T>
void expect_adjoint(Context const& context, LinearOperator<T> const& A) {
  using C = std::complex<T>;
  Array<C> const x = random_array<T>(A.domain(), 11), y = random_array<T>(A.range(), 12);
  Array<C> Ax(A.range()), AHy(A.domain());
  A.forward(context, x, Ax);
  A.adjoint(context, y, AHy);
  double const scale = norm(Ax) * norm(y) + norm(x) * norm(AHy);
  EXPECT_LE(std::abs(inner(Ax, y) - inner(x, AHy)), rounding<T>() * scale);
}

/// A (a x + x') = a A x + A x'
template <class T>
void expect_linear(Context const& context, LinearOperator<T> const& A) {
  using C = std::complex<T>;
  C const a(T(0.7), T(-1.3));
  Array<C> const x = random_array<T>(A.domain(), 13), other = random_array<T>(A.domain(), 14);
  Array<C> mixed(A.domain()), A_x(A.range()), A_other(A.range()), A_mixed(A.range());
  for (std::int64_t i = 0; i < x.size(); ++i) mixed[i] = a * x[i] + other[i];
  A.forward(context, x, A_x);
  A.forward(context, other, A_other);
  A.forward(context, mixed, A_mixed);
  double difference = 0;
  for (std::int64_t i = 0; i < A_x.size(); ++i) difference += std::norm(a * A_x[i] + A_other[i] - A_mixed[i]);
  EXPECT_LE(std::sqrt(difference), rounding<T>() * (std::abs(a) * norm(A_x) + norm(A_other)));
}

/// Replace ignores what was there; add adds to it.
template <class T, class Apply>
void expect_replace_and_add(Shape const& in_shape, Shape const& out_shape, Apply const& apply) {
  using C = std::complex<T>;
  Array<C> const in = random_array<T>(in_shape, 15), before = random_array<T>(out_shape, 16);
  Array<C> fresh(out_shape), replaced = copy(before.view()), added = copy(before.view());
  apply(in.view(), fresh.view(), Write::replace);
  apply(in.view(), replaced.view(), Write::replace);
  apply(in.view(), added.view(), Write::add);
  double difference = 0;
  for (std::int64_t i = 0; i < fresh.size(); ++i) {
    EXPECT_EQ(fresh[i], replaced[i]) << "element " << i;
    if (fresh[i] != replaced[i]) break;
    difference += std::norm(before[i] + fresh[i] - added[i]);
  }
  EXPECT_LE(std::sqrt(difference), rounding<T>() * (norm(before) + norm(fresh)));
}

/// normal(x) = adjoint(forward(x)).
template <class T>
void expect_normal(Context const& context, LinearOperator<T> const& A) {
  using C = std::complex<T>;
  Array<C> const x = random_array<T>(A.domain(), 17);
  Array<C> Ax(A.range()), expected(A.domain()), z(A.domain());
  A.forward(context, x, Ax);
  A.adjoint(context, Ax, expected);
  A.normal(context, x, z);
  double difference = 0;
  for (std::int64_t i = 0; i < z.size(); ++i) difference += std::norm(z[i] - expected[i]);
  EXPECT_LE(std::sqrt(difference), rounding<T>() * norm(expected));
}

template <class F>
void expect_bad_shape(F const& call) {
  try {
    call();
    ADD_FAILURE() << "a bad shape was accepted";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind, ErrorKind::bad_shape) << error.what();
  }
}

template <class T>
void expect_bad_shapes_refused(Context const& context, LinearOperator<T> const& A) {
  using C = std::complex<T>;
  Array<C> x(A.domain()), y(A.range()), wrong({{Axis::other, 3}});
  expect_bad_shape([&] { A.forward(context, wrong, y); });
  expect_bad_shape([&] { A.forward(context, x, wrong); });
  expect_bad_shape([&] { A.adjoint(context, wrong, x); });
  expect_bad_shape([&] { A.adjoint(context, y, wrong); });
  expect_bad_shape([&] { A.normal(context, wrong, x); });
  expect_bad_shape([&] { A.normal(context, x, wrong); });
  try {
    A.forward(context, {x.data(), A.domain(), Space::device}, y);
    ADD_FAILURE() << "device memory was accepted";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind, ErrorKind::wrong_space) << error.what();
  }
}

template <class T>
void expect_no_allocation_at_second_call(Context const& context, LinearOperator<T> const& A) {
  using C = std::complex<T>;
  Array<C> x = random_array<T>(A.domain(), 18), y(A.range()), z(A.domain());
  auto const all = [&] {
    A.forward(context, x, y);
    A.adjoint(context, y, z);
    A.normal(context, x, z);
  };
  all();
  std::int64_t const before = allocations();
  all();
  EXPECT_EQ(allocations() - before, 0);
}

/// One thread and three give the same bytes.
template <class T>
void expect_same_bytes_for_any_threads(LinearOperator<T> const& A) {
  using C = std::complex<T>;
  Array<C> const x = random_array<T>(A.domain(), 19), y = random_array<T>(A.range(), 20);
  Array<C> Ax[2] = {Array<C>(A.range()), Array<C>(A.range())},
           z[2] = {Array<C>(A.domain()), Array<C>(A.domain())};
  for (int i : {0, 1}) {
    Context const context = Context::cpu(i == 0 ? 1 : 3);
    A.forward(context, x, Ax[i]);
    A.adjoint(context, y, z[i]);
  }
  EXPECT_EQ(std::memcmp(Ax[0].data(), Ax[1].data(), static_cast<std::size_t>(Ax[0].size()) * sizeof(C)), 0);
  EXPECT_EQ(std::memcmp(z[0].data(), z[1].data(), static_cast<std::size_t>(z[0].size()) * sizeof(C)), 0);
}

enum class Scratch { kept, taken_anew };

template <class T>
void expect_operator_laws(LinearOperator<T> const& A, Scratch scratch = Scratch::kept) {
  Context const context = Context::cpu(2);
  expect_adjoint(context, A);
  expect_linear(context, A);
  expect_replace_and_add<T>(A.domain(), A.range(),
                            [&](auto in, auto out, Write write) { A.forward(context, in, out, write); });
  expect_replace_and_add<T>(A.range(), A.domain(),
                            [&](auto in, auto out, Write write) { A.adjoint(context, in, out, write); });
  expect_replace_and_add<T>(A.domain(), A.domain(),
                            [&](auto in, auto out, Write write) { A.normal(context, in, out, write); });
  expect_normal(context, A);
  expect_bad_shapes_refused(context, A);
  if (scratch == Scratch::kept) expect_no_allocation_at_second_call(context, A);
  expect_same_bytes_for_any_threads(A);
}

}  // namespace findrho::laws
