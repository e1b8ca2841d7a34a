// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/array.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "findrho/core/finite.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;

Shape const kShape{{Axis::coil, 2}, {Axis::y, 3}, {Axis::x, 4}};

TEST(Shape, MultipliesItsSizesAndNamesItsAxes) {
  EXPECT_EQ(kShape.size(), 24);
  EXPECT_EQ(kShape.rank(), 3);
  EXPECT_EQ(kShape.str(), "coil 2 x y 3 x x 4");
  EXPECT_EQ(kShape.extent(Axis::y), 3);
  EXPECT_EQ(kShape.extent(Axis::z), 1) << "an axis that is not there has one index";
}

TEST(Shape, OfNoAxesIsAScalar) {
  EXPECT_EQ(Shape().size(), 1);
  EXPECT_EQ(Shape().str(), "scalar");
  EXPECT_EQ(Shape().without_slowest(), Shape());
}

TEST(Shape, DiffersWhenAxesDifferThoughSizesAgree) {
  EXPECT_EQ(kShape, (Shape{{Axis::coil, 2}, {Axis::y, 3}, {Axis::x, 4}}));
  EXPECT_FALSE(kShape == (Shape{{Axis::frame, 2}, {Axis::y, 3}, {Axis::x, 4}}));
  EXPECT_FALSE(kShape == (Shape{{Axis::y, 3}, {Axis::x, 4}}));
}

TEST(Shape, RefusesASeventhAxis) {
  Extent const one{Axis::other, 1};
  Error const error = caught([&] { Shape{one, one, one, one, one, one, one}; });
  EXPECT_EQ(error.kind, ErrorKind::bad_shape);
  EXPECT_TRUE(mentions(error, "7"));
}

TEST(Shape, MismatchIsReportedWithBothShapes) {
  Error const error = caught([] { require_shape(kShape, kShape.without_slowest(), "coil maps"); });
  EXPECT_EQ(error.kind, ErrorKind::bad_shape);
  EXPECT_STREQ(error.what(), "coil maps has shape (coil 2 x y 3 x x 4), expected (y 3 x x 4)");
  EXPECT_NO_THROW(require_shape(kShape, kShape, "coil maps"));
}

TEST(Array, StartsAsZerosOnACacheLine) {
  Array<double> const a(kShape);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0U);
  for (double v : a) EXPECT_EQ(v, 0);
}

TEST(Array, ThatWasNeverFilledIsEmpty) {
  Array<float> a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.size(), 0);
  a = Array<float>(kShape);
  Array<float> const b = std::move(a);
  EXPECT_EQ(b.size(), 24);
}

TEST(Array, OfNoElementsIsNotEmptyMemory) {
  Array<float> const a(Shape{{Axis::sample, 0}});
  EXPECT_FALSE(a.empty());
  EXPECT_EQ(a.size(), 0);
}

TEST(Array, RefusesMoreMemoryThanThereCanBe) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends the program at such an allocation";
#endif
  Error const error = caught([] { Array<double>(Shape{{Axis::x, std::int64_t{1} << 56}}); });
  EXPECT_EQ(error.kind, ErrorKind::out_of_memory);
}

TEST(Array, CopyAndConvertKeepShapeAndValues) {
  Array<float> a(kShape);
  std::iota(a.begin(), a.end(), 0.0F);
  Array<float> const b = copy(a.view());
  Array<double> const c = convert<double>(a.view());
  a[5] = -1;
  EXPECT_EQ(b.shape(), kShape);
  EXPECT_EQ(c.shape(), kShape);
  EXPECT_EQ(b[5], 5.0F);
  EXPECT_EQ(c[23], 23.0);
}

TEST(View, SlabIsOneIndexOfTheSlowestAxis) {
  Array<float> a(kShape);
  std::iota(a.begin(), a.end(), 0.0F);
  View<float> const second = slab(a.view(), 1);
  EXPECT_EQ(second.shape, (Shape{{Axis::y, 3}, {Axis::x, 4}}));
  EXPECT_EQ(second[0], 12.0F);
  View<float const> const readable = second;
  EXPECT_EQ(readable.data, second.data);
}

TEST(FirstNonFinite, NamesTheFirstOfSeveral) {
  Array<float> a(kShape);
  EXPECT_FALSE(first_non_finite(a));
  a[20] = std::numeric_limits<float>::infinity();
  a[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(first_non_finite(a), 7);
}

TEST(FirstNonFinite, LooksAtBothPartsOfComplexNumbers) {
  Array<std::complex<double>> a(kShape);
  EXPECT_FALSE(first_non_finite(a));
  a[3] = {0, -std::numeric_limits<double>::infinity()};
  EXPECT_EQ(first_non_finite(a), 3);
}

}  // namespace
}  // namespace findrho
