// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/quality/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/caught.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;

Array<float> row(std::initializer_list<float> values) {
  Array<float> a(Shape{{Axis::y, 1}, {Axis::x, static_cast<std::int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), a.begin());
  return a;
}

/// Positive noise with some structure, the same at every run.
Array<float> picture(Shape const& shape, unsigned seed) {
  Array<float> a(shape);
  std::mt19937 generator(seed);
  for (std::int64_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(generator() % 1000) / 500.0F + (i % 7 < 3 ? 1.5F : 0.0F);
  }
  return a;
}

// Sums of fewer than ten numbers in double, from float inputs that are exact: rounding is below 1e-14.
constexpr double kExact = 1e-14;

TEST(Compare, HandComputedImageHasTheHandComputedNumbers) {
  // Differences 1, 0, -1, 2: MSE 6/4; peak 4; |I0|^2 = 30.
  Array<float> const image = row({2, 2, 2, 6}), reference = row({1, 2, 3, 4});
  Quality const q = compare_images(image, reference);
  EXPECT_NEAR(q.psnr_db, 20 * std::log10(4 / std::sqrt(1.5)), 20 * kExact);
  EXPECT_NEAR(q.nrmse, std::sqrt(6.0 / 30), kExact);
  // Deviations (-1,-1,-1,3) and (-1.5,-.5,.5,1.5): 6 / sqrt(12 x 5).
  EXPECT_NEAR(q.correlation, 6 / std::sqrt(60.0), kExact);
  EXPECT_EQ(q.scale, 1);
  EXPECT_TRUE(std::isnan(q.ssim)) << "four voxels hold no 11 x 11 window";
}

TEST(Compare, ScaleFitFindsTheFactorThatMakesTheErrorLeast) {
  Array<float> const image = row({2, 2, 2, 6}), reference = row({1, 2, 3, 4});
  CompareOptions options;
  options.scale_fit = ScaleFit::least_squares;
  Quality const q = compare_images(image, reference, options);
  EXPECT_NEAR(q.scale, 36.0 / 48, kExact);                             // <I, I0> / <I, I>
  EXPECT_NEAR(q.nrmse, std::sqrt(1 - 36.0 * 36 / (48 * 30)), kExact);  // the part of I0 that is not along I
}

TEST(Compare, ScaledCopyIsPerfectOnlyAfterTheFit) {
  Array<float> const reference = picture({{Axis::y, 20}, {Axis::x, 20}}, 1);
  Array<float> image = copy(reference.view());
  for (float& v : image) v *= 4;
  EXPECT_NEAR(compare_images(image, reference).nrmse, 3, 3e-14);
  CompareOptions options;
  options.scale_fit = ScaleFit::least_squares;
  Quality const q = compare_images(image, reference, options);
  EXPECT_EQ(q.scale, 0.25);
  EXPECT_EQ(q.nrmse, 0);
  EXPECT_NEAR(q.ssim, 1, kExact);
}

TEST(Compare, EqualImagesArePerfect) {
  Array<float> const a = picture({{Axis::z, 2}, {Axis::y, 16}, {Axis::x, 12}}, 3);
  Quality const q = compare_images(a, a);
  EXPECT_EQ(q.psnr_db, std::numeric_limits<double>::infinity());
  EXPECT_EQ(q.nrmse, 0);
  EXPECT_NEAR(q.correlation, 1, 1e-12);  // 384 terms, each rounded to 1.1e-16 of its size
  EXPECT_NEAR(q.ssim, 1, kExact);
}

TEST(Compare, LooksAtMagnitudes) {
  Quality const q = compare_images(row({-1, 2, -3}), row({1, -2, 3}));
  EXPECT_EQ(q.nrmse, 0);
}

TEST(Compare, MaskSelectsTheVoxelsThatCount) {
  Array<float> const image = row({2, 2, 100}), reference = row({1, 2, 50});
  Array<std::uint8_t> mask(image.shape());
  mask[0] = mask[1] = 1;
  CompareOptions options;
  options.mask = mask;
  Quality const q = compare_images(image, reference, options);
  EXPECT_NEAR(q.nrmse, std::sqrt(1.0 / 5), kExact);
  EXPECT_NEAR(q.psnr_db, 20 * std::log10(2 / std::sqrt(0.5)), 20 * kExact);
}

TEST(Compare, CorrelationOfAConstantImageIsNotANumber) {
  EXPECT_TRUE(std::isnan(compare_images(row({2, 2, 2}), row({1, 2, 3})).correlation));
}

TEST(Compare, DifferentShapesAreRefusedWithBoth) {
  Array<float> const a = picture({{Axis::y, 3}, {Axis::x, 4}}, 1),
                     b = picture({{Axis::y, 4}, {Axis::x, 3}}, 1);
  Error const error = caught([&] { compare_images(a, b); });
  EXPECT_EQ(error.kind, ErrorKind::bad_shape);
  EXPECT_TRUE(mentions(error, "y 3 x x 4") && mentions(error, "y 4 x x 3"));
}

TEST(Compare, WhatCannotBeComparedIsRefused) {
  Array<float> const good = row({1, 2, 3}), zero = row({0, 0, 0});
  Array<float> bad = row({1, 2, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(mentions(caught([&] { compare_images(bad, good); }), "element 2"));
  EXPECT_TRUE(mentions(caught([&] { compare_images(good, bad); }), "reference"));
  EXPECT_TRUE(mentions(caught([&] { compare_images(good, zero); }), "0 everywhere"));
  Array<std::uint8_t> const nothing(good.shape());
  CompareOptions options;
  options.mask = nothing;
  EXPECT_TRUE(mentions(caught([&] { compare_images(good, good, options); }), "mask"));
}

TEST(Compare, ZeroImageIsComparedThoughNoScaleFitsIt) {
  CompareOptions options;
  options.scale_fit = ScaleFit::least_squares;
  Quality const q = compare_images(row({0, 0, 0}), row({1, 2, 3}), options);
  EXPECT_EQ(q.scale, 1);
  EXPECT_EQ(q.nrmse, 1);
}

// The definition of Wang et al. (2004), window by window, in double: nothing shared with the library. Variances are
// sums of squared deviations here, where the library subtracts squared means: with values up to 3.5 and C2 near 0.01
// the two differ by some 1e-16 x 12 / 0.01 = 1e-13 in each window.
constexpr double kSsimTolerance = 1e-12;

double window_ssim(View<float const> a, View<float const> b, std::int64_t nx, std::int64_t begin,
                   double range) {
  double weight_sum = 0, mean_a = 0, mean_b = 0, var_a = 0, var_b = 0, cov = 0;
  auto const each = [&](auto f) {
    for (std::int64_t y = 0; y < 11; ++y) {
      for (std::int64_t x = 0; x < 11; ++x) {
        double const r_sq = static_cast<double>((x - 5) * (x - 5) + (y - 5) * (y - 5));
        std::int64_t const i = begin + y * nx + x;
        f(std::exp(-r_sq / (2 * 1.5 * 1.5)), static_cast<double>(a[i]), static_cast<double>(b[i]));
      }
    }
  };
  each([&](double w, double, double) { weight_sum += w; });
  each([&](double w, double va, double vb) { mean_a += w / weight_sum * va, mean_b += w / weight_sum * vb; });
  each([&](double w, double va, double vb) {
    var_a += w / weight_sum * (va - mean_a) * (va - mean_a);
    var_b += w / weight_sum * (vb - mean_b) * (vb - mean_b);
    cov += w / weight_sum * (va - mean_a) * (vb - mean_b);
  });
  double const c1 = std::pow(0.01 * range, 2), c2 = std::pow(0.03 * range, 2);
  return (2 * mean_a * mean_b + c1) * (2 * cov + c2) /
         ((mean_a * mean_a + mean_b * mean_b + c1) * (var_a + var_b + c2));
}

TEST(Ssim, AgreesWithTheDefinitionWindowByWindow) {
  Shape const shape{{Axis::z, 2}, {Axis::y, 14}, {Axis::x, 17}};
  Array<float> const image = picture(shape, 5), reference = picture(shape, 6);
  double const range = *std::max_element(reference.begin(), reference.end());
  double sum = 0;
  for (std::int64_t z = 0; z < 2; ++z) {
    for (std::int64_t y = 0; y < 4; ++y) {
      for (std::int64_t x = 0; x < 7; ++x)
        sum += window_ssim(image, reference, 17, (z * 14 + y) * 17 + x, range);
    }
  }
  EXPECT_NEAR(compare_images(image, reference).ssim, sum / (2 * 4 * 7), kSsimTolerance);
}

TEST(Ssim, MaskSelectsWindowCentres) {
  Shape const shape{{Axis::y, 20}, {Axis::x, 20}};
  Array<float> const image = picture(shape, 5), reference = picture(shape, 6);
  Array<std::uint8_t> mask(shape);
  mask[8 * 20 + 10] = 1;
  std::int64_t const peak = std::max_element(reference.begin(), reference.end()) - reference.begin();
  mask[peak] = 1;  // so that the range is that of the whole reference
  bool const inside = peak % 20 >= 5 && peak % 20 < 15 && peak / 20 >= 5 && peak / 20 < 15;
  double expected = window_ssim(image, reference, 20, 3 * 20 + 5, reference[peak]);
  if (inside)
    expected = (expected + window_ssim(image, reference, 20, peak - 5 * 20 - 5, reference[peak])) / 2;
  CompareOptions options;
  options.mask = mask;
  EXPECT_NEAR(compare_images(image, reference, options).ssim, expected, kSsimTolerance);
}

TEST(Ssim, OfConstantImagesIsTheirLuminanceTerm) {
  Array<float> image(Shape{{Axis::y, 11}, {Axis::x, 11}}), reference(image.shape());
  std::fill(image.begin(), image.end(), 1.0F);
  std::fill(reference.begin(), reference.end(), 2.0F);
  double const c1 = 0.0004;  // (0.01 x 2)^2
  EXPECT_NEAR(compare_images(image, reference).ssim, (4 + c1) / (5 + c1), kSsimTolerance);
}

TEST(Magnitude, IsTheAbsoluteValueOfEveryVoxel) {
  Array<std::complex<float>> a(Shape{{Axis::x, 2}});
  a[0] = {3, -4};
  a[1] = {0, 2};
  Array<float> const m = magnitude(a);
  EXPECT_EQ(m.shape(), a.shape());
  EXPECT_EQ(m[0], 5.0F);
  EXPECT_EQ(m[1], 2.0F);
}

}  // namespace
}  // namespace findrho
