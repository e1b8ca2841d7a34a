// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/operator/vector_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "conformance/random.hpp"
#include "support/use_target.hpp"

namespace findrho {
namespace {

// Lengths around the sixteen sums kept apart (eight complex numbers), and ranges that begin anywhere.
constexpr std::int64_t kBegins[] = {0, 1, 3}, kLengths[] = {0, 1, 7, 8, 9, 31, 1000};

template <class T>
class VectorSums : public testing::Test {
 protected:
  Array<std::complex<T>> const a = laws::random_array<T>(Shape{{Axis::x, 1003}}, 1),
                               b = laws::random_array<T>(Shape{{Axis::x, 1003}}, 2);
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorSums, Precisions);

TYPED_TEST(VectorSums, AreThoseOfLongDoubleUnderEachInstructionSet) {
  using Long = std::complex<long double>;
  test::under_each_target([&](char const* target) {
    for (std::int64_t const begin : kBegins) {
      for (std::int64_t const n : kLengths) {
        Long expected = 0;
        long double size = 0;  // of the terms
        for (std::int64_t i = begin; i < begin + n; ++i) {
          expected += std::conj(Long(this->a[i])) * Long(this->b[i]);
          size += std::abs(Long(this->a[i])) * std::abs(Long(this->b[i]));
        }
        // Every addition and, in double, every product rounds once: 2 n of each, by half an epsilon of the terms' sum at most.
        auto const limit =
            static_cast<double>(2 * size) * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
        std::complex<double> const both = dot_range(this->a.data(), this->b.data(), begin, begin + n);
        double const real = real_dot_range(this->a.data(), this->b.data(), begin, begin + n);
        EXPECT_LE(std::abs(static_cast<double>(both.real() - expected.real())), limit)
            << target << " " << begin << " " << n;
        EXPECT_LE(std::abs(static_cast<double>(both.imag() - expected.imag())), limit)
            << target << " " << begin << " " << n;
        EXPECT_LE(std::abs(static_cast<double>(real - expected.real())), limit)
            << target << " " << begin << " " << n;
      }
    }
  });
}

TYPED_TEST(VectorSums, SubtractsMultiplesWithinTheRangeOnly) {
  using C = std::complex<TypeParam>;
  C const factor(TypeParam(0.75), TypeParam(-1.25));
  test::under_each_target([&](char const* target) {
    for (std::int64_t const begin : kBegins) {
      for (std::int64_t const n : kLengths) {
        Array<C> r = copy(this->a.view());
        subtract_multiple_range(factor, this->b.data(), begin, begin + n, r.data());
        for (std::int64_t i = 0; i < r.size(); ++i) {
          bool const inside = i >= begin && i < begin + n;
          C const expected = inside ? this->a[i] - factor * this->b[i] : this->a[i];
          // Two products and two sums of numbers that are at most |a| + |factor| |b|.
          double const limit =
              inside
                  ? 4 * static_cast<double>(std::abs(this->a[i]) + std::abs(factor) * std::abs(this->b[i])) *
                        static_cast<double>(std::numeric_limits<TypeParam>::epsilon())
                  : 0;
          EXPECT_LE(static_cast<double>(std::abs(r[i] - expected)), limit)
              << target << " " << begin << " " << n << " at " << i;
        }
      }
    }
  });
}

using SumsOfFloats = VectorSums<float>;
TEST_F(SumsOfFloats, AreTheSameBytesUnderEachInstructionSet) {
  std::optional<std::complex<double>> first;
  test::under_each_target([&](char const* target) {
    std::complex<double> const sum = dot_range(a.data(), b.data(), 0, 1003);
    if (!first) first = sum;
    EXPECT_EQ(sum, *first) << target;
  });
}

}  // namespace
}  // namespace findrho
