// SPDX-License-Identifier: BSD-3-Clause
// Nufft against the exact sums in double, and the laws of an operator.
#include "findrho/nufft/nufft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/dft/exact_sum.hpp"
#include "nufft/samples.hpp"

namespace findrho {
namespace {

using test::every_kind_of_point;
using test::noise;
using test::relative_error;

/// A small grid loses digits to deapodisation: what these precisions cannot reach is refused, not missed.
template <class T>
bool may_be_refused(double accuracy, double oversampling) {
  if (std::is_same_v<T, float>) {
    return (oversampling == 1.25 && accuracy < 1e-4) || (oversampling == 1.5 && accuracy < 1e-5);
  }
  return (oversampling == 1.25 && accuracy < 1e-9) || (oversampling == 1.5 && accuracy < 1e-11);
}

template <class T>
class NufftOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(NufftOf, Precisions);

std::vector<Matrix> const kMatrices{{24, 20, 1}, {17, 21, 1}, {8, 9, 10}, {13, 8, 3},
                                    {2, 2, 1},   {3, 2, 2},   {64, 5, 1}};

template <class T>
std::vector<double> accuracies() {
  if (std::is_same_v<T, float>) return {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  return {1e-1, 1e-3, 1e-6, 1e-8, 1e-10, 1e-12};
}

TYPED_TEST(NufftOf, IsAsAccurateAsAskedInBothDirections) {
  using C = std::complex<TypeParam>;
  Context const context = Context::cpu(2);
  for (Matrix const& m : kMatrices) {
    Trajectory const t = every_kind_of_point(m, 300, 1);
    auto const image = noise<double>(m.shape(1), 2), data = noise<double>(sample_shape(1, t.size()), 3);
    Array<std::complex<double>> samples(data.shape()), back(image.shape());
    exact_forward<double>(context, t, image, samples);
    exact_adjoint<double>(context, t, data, back);
    auto const image_t = convert<C>(image.view());
    auto const data_t = convert<C>(data.view());
    for (double accuracy : accuracies<TypeParam>()) {
      for (double oversampling : {0.0, 1.25, 1.5, 2.0}) {
        NufftOptions const options{.accuracy = accuracy, .oversampling = oversampling};
        std::unique_ptr<Nufft<TypeParam>> plan;
        try {
          plan = std::make_unique<Nufft<TypeParam>>(context, t, m, options);
        } catch (Error const& error) {
          ASSERT_EQ(error.kind, ErrorKind::bad_option);
          ASSERT_TRUE(may_be_refused<TypeParam>(accuracy, oversampling)) << error.what();
          continue;
        }
        Nufft<TypeParam> const& nufft = *plan;
        Array<C> got(data.shape()), image_got(image.shape());
        nufft.forward(context, image_t, got);
        nufft.adjoint(context, data_t, image_got);
        std::string const what = m.shape().str() + ", asked " + std::to_string(accuracy) + ", oversampling " +
                                 std::to_string(oversampling) + ": " + nufft.description();
        EXPECT_LE(relative_error(got, samples), accuracy) << "forward " << what;
        EXPECT_LE(relative_error(image_got, back), accuracy) << "adjoint " << what;
      }
    }
  }
}

/// Some coils through every code path of the grid: 1, 2, 4 and 8 side by side, padded, and more than one pass.
TYPED_TEST(NufftOf, TransformsEveryNumberOfCoilsAlike) {
  using C = std::complex<TypeParam>;
  Context const context = Context::cpu(2);
  for (Matrix const m : {Matrix{12, 15, 1}, Matrix{6, 5, 4}}) {
    Trajectory const t = every_kind_of_point(m, 200, 4);
    for (int width : {2, 4, 5, 9, 16}) {
      Nufft<TypeParam> const nufft(context, t, m, {.oversampling = 2, .width = width});
      for (std::int64_t coils : {2, 3, 5, 8, 9}) {
        auto const image = noise<TypeParam>(m.shape(coils), 5);
        auto const data = noise<TypeParam>(sample_shape(coils, t.size()), 6);
        Array<C> samples(data.shape()), back(image.shape());
        nufft.forward(context, image, samples);
        nufft.adjoint(context, data, back);
        for (std::int64_t c = 0; c < coils; ++c) {
          Array<C> image_c(m.shape(1)), data_c(sample_shape(1, t.size()));
          std::copy_n(image.data() + c * m.voxels(), m.voxels(), image_c.data());
          std::copy_n(data.data() + c * t.size(), t.size(), data_c.data());
          Array<C> samples_c(data_c.shape()), back_c(image_c.shape());
          nufft.forward(context, image_c, samples_c);
          nufft.adjoint(context, data_c, back_c);
          Array<C> samples_of(data_c.shape()), back_of(image_c.shape());
          std::copy_n(samples.data() + c * t.size(), t.size(), samples_of.data());
          std::copy_n(back.data() + c * m.voxels(), m.voxels(), back_of.data());
          // Only the order of a few additions differs: some units of rounding, grown by deapodisation at most 100 times.
          double const tolerance = 300 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
          EXPECT_LE(relative_error(samples_of, convert<std::complex<double>>(samples_c.view())), tolerance)
              << coils;
          EXPECT_LE(relative_error(back_of, convert<std::complex<double>>(back_c.view())), tolerance)
              << coils;
        }
      }
    }
  }
}

TYPED_TEST(NufftOf, AdjointIsTheAdjointOfForward) {
  using C = std::complex<TypeParam>;
  Context const context = Context::cpu(2);
  for (Matrix const& m : kMatrices) {
    for (GriddingKernel kernel : {GriddingKernel::kaiser_bessel, GriddingKernel::bilinear}) {
      Trajectory const t = every_kind_of_point(m, 250, 7);
      Nufft<TypeParam> const nufft(context, t, m, {.kernel = kernel});
      auto const x = noise<TypeParam>(m.shape(3), 8);
      auto const y = noise<TypeParam>(sample_shape(3, t.size()), 9);
      Array<C> fx(y.shape()), fy(x.shape());
      nufft.forward(context, x, fx);
      nufft.adjoint(context, y, fy);
      std::complex<double> left = 0, right = 0;
      double norm_fx = 0, norm_y = 0;
      for (std::int64_t i = 0; i < y.size(); ++i) {
        left += std::complex<double>(fx[i]) * std::conj(std::complex<double>(y[i]));
        norm_fx += std::norm(fx[i]);
        norm_y += std::norm(y[i]);
      }
      for (std::int64_t i = 0; i < x.size(); ++i) {
        right += std::complex<double>(x[i]) * std::conj(std::complex<double>(fy[i]));
      }
      // The two are exact adjoints; rounding is relative to |Fx| |y|, tens of operations deep.
      double const tolerance = 100 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
      EXPECT_LE(std::abs(left - right), tolerance * std::sqrt(norm_fx * norm_y)) << m.shape().str();
    }
  }
}

TYPED_TEST(NufftOf, GivesTheSameBytesOnOneAndTwoThreads) {
  using C = std::complex<TypeParam>;
  for (Matrix const m : {Matrix{70, 60, 1}, Matrix{40, 22, 24}}) {
    Trajectory const t = test::radial(m, 200, 50);
    auto const image = noise<TypeParam>(m.shape(2), 10),
               data = noise<TypeParam>(sample_shape(2, t.size()), 11);
    std::vector<Array<C>> samples, images;
    for (int threads : {1, 2}) {
      Context const context = Context::cpu(threads);
      Nufft<TypeParam> const nufft(context, t, m);
      nufft.forward(context, image, samples.emplace_back(data.shape()));
      nufft.adjoint(context, data, images.emplace_back(image.shape()));
    }
    EXPECT_TRUE(std::equal(samples[0].begin(), samples[0].end(), samples[1].begin()));
    EXPECT_TRUE(std::equal(images[0].begin(), images[0].end(), images[1].begin()));
  }
}

TYPED_TEST(NufftOf, AddsToWhatIsThereWhenAsked) {
  using C = std::complex<TypeParam>;
  Context const context = Context::cpu(1);
  Matrix const m{10, 9, 4};
  Trajectory const t = every_kind_of_point(m, 100, 12);
  Nufft<TypeParam> const nufft(context, t, m);
  auto const image = noise<TypeParam>(m.shape(3), 13), data = noise<TypeParam>(sample_shape(3, t.size()), 14);
  Array<C> samples(data.shape()), back(image.shape());
  Array<C> samples_sum = copy(data.view()), back_sum = copy(image.view());
  nufft.forward(context, image, samples);
  nufft.adjoint(context, data, back);
  nufft.forward(context, image, samples_sum, Write::add);
  nufft.adjoint(context, data, back_sum, Write::add);
  for (std::int64_t i = 0; i < data.size(); ++i) ASSERT_EQ(samples_sum[i], data[i] + samples[i]);
  for (std::int64_t i = 0; i < image.size(); ++i) ASSERT_EQ(back_sum[i], image[i] + back[i]);
}

// The textbook baseline by its definition: the image divided by the triangle's transform sinc^2(n / G), its exact values
// on the grid (k = g N / G), and straight lines between them.
TYPED_TEST(NufftOf, BilinearInterpolatesTheGridByTriangles) {
  using C = std::complex<TypeParam>;
  Context const context = Context::cpu(1);
  Matrix const m{12, 10, 1};  // grid 24 x 20: grid points lie half a cycle apart
  NufftOptions const options{.oversampling = 2, .kernel = GriddingKernel::bilinear};
  auto const image = noise<double>(m.shape(1), 16);
  auto deapodised = copy(image.view());
  auto const sinc_sq = [](std::int64_t n, std::int64_t size) {
    double const x = std::numbers::pi * static_cast<double>(n - size / 2) / static_cast<double>(2 * size);
    return x == 0 ? 1 : std::pow(std::sin(x) / x, 2);
  };
  for (std::int64_t v = 0; v < m.voxels(); ++v)
    deapodised[v] /= sinc_sq(v % m.x, m.x) * sinc_sq(v / m.x, m.y);
  Trajectory const t = every_kind_of_point(m, 200, 15);
  Trajectory corners;  // the four grid points around each sample
  for (std::size_t s = 0; s < t.kx.size(); ++s) {
    for (int corner = 0; corner < 4; ++corner) {
      corners.kx.push_back(std::floor(2 * t.kx[s] + corner % 2) / 2);
      corners.ky.push_back(std::floor(2 * t.ky[s] + corner / 2) / 2);
    }
  }
  Array<std::complex<double>> at_corners(sample_shape(1, corners.size())), want(sample_shape(1, t.size()));
  exact_forward<double>(context, corners, deapodised, at_corners);
  for (std::int64_t i = 0; i < corners.size(); ++i) {
    std::size_t const s = static_cast<std::size_t>(i / 4), c = static_cast<std::size_t>(i);
    want[i / 4] += at_corners[i] * (1 - 2 * std::abs(t.kx[s] - corners.kx[c])) *
                   (1 - 2 * std::abs(t.ky[s] - corners.ky[c]));
  }
  Array<C> got(want.shape());
  Nufft<TypeParam> const nufft(context, t, m, options);
  EXPECT_EQ(nufft.description(), "bilinear, width 2, oversampling 2.00, grid 24 x 20");
  nufft.forward(context, convert<C>(image.view()), got);
  EXPECT_LT(relative_error(got, want), 20 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
}

TEST(Nufft, RefusesWrongShapesAndOptions) {
  Context const context = Context::cpu(1);
  Matrix const m{8, 6, 1};
  Trajectory const t = every_kind_of_point(m, 20, 17);
  Nufft<float> const nufft(context, t, m);
  using C = std::complex<float>;
  Array<C> image(m.shape(2)), swapped(Matrix{6, 8, 1}.shape(2)), samples(sample_shape(2, 20));
  Array<C> short_samples(sample_shape(2, 19)), one_coil(sample_shape(1, 20)), no_coil_axis(m.shape());
  auto const kind = [](auto&& f) {
    try {
      f();
    } catch (Error const& error) {
      return error.kind;
    }
    ADD_FAILURE() << "was accepted";
    return ErrorKind::cancelled;
  };
  EXPECT_EQ(kind([&] { nufft.forward(context, swapped, samples); }), ErrorKind::bad_shape);
  EXPECT_EQ(kind([&] { nufft.forward(context, image, short_samples); }), ErrorKind::bad_shape);
  EXPECT_EQ(kind([&] { nufft.adjoint(context, one_coil, image); }), ErrorKind::bad_shape);
  EXPECT_EQ(kind([&] { nufft.adjoint(context, one_coil, no_coil_axis); }), ErrorKind::bad_shape);
  EXPECT_EQ(kind([&] { Nufft<float>(context, t, {8, 6, 2}); }), ErrorKind::bad_shape);
  EXPECT_EQ(kind([&] { Nufft<float>(context, t, m, {.accuracy = 1e-7}); }), ErrorKind::bad_option);
  EXPECT_EQ(kind([&] { Nufft<double>(context, t, m, {.accuracy = 1e-13}); }), ErrorKind::bad_option);
  EXPECT_EQ(kind([&] { Nufft<float>(context, t, m, {.accuracy = 0}); }), ErrorKind::bad_option);
  EXPECT_EQ(kind([&] { Nufft<float>(context, t, m, {.oversampling = 1.2}); }), ErrorKind::bad_option);
  EXPECT_EQ(kind([&] { Nufft<float>(context, t, m, {.oversampling = 2.5}); }), ErrorKind::bad_option);
  EXPECT_EQ(kind([&] { Nufft<float>(context, t, m, {.width = 17}); }), ErrorKind::bad_option);
  EXPECT_EQ(kind([&] { Nufft<double>(context, t, m, {.accuracy = 1e-12, .oversampling = 1.25}); }),
            ErrorKind::bad_option);
  Trajectory broken = t;
  broken.ky[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(kind([&] { Nufft<float>(context, broken, m); }), ErrorKind::bad_option);
}

TEST(Nufft, PredictsItsMemoryWithinFivePercent) {
  for (int threads : {1, 2}) {
    Context const context = Context::cpu(threads);
    for (Matrix const m : {Matrix{64, 48, 1}, Matrix{32, 24, 16}}) {
      Trajectory const t = test::radial(m, 100, 64);
      for (std::int64_t coils : {1, 3, 8, 12}) {
        NufftOptions const options{.accuracy = 1e-4};
        Nufft<float> const nufft(context, t, m, options);
        double const predicted =
            static_cast<double>(nufft_bytes<float>(t.size(), m, coils, threads, options));
        Array<std::complex<float>> image(m.shape(coils)), samples(sample_shape(coils, t.size()));
        nufft.forward(context, image, samples);
        EXPECT_NEAR(predicted / static_cast<double>(nufft.bytes(coils)), 1, 0.05);
      }
    }
  }
}

TEST(Nufft, AcceptsATrajectoryWithoutSamples) {
  Context const context = Context::cpu(1);
  Nufft<float> const nufft(context, Trajectory{}, {8, 8, 1});
  Array<std::complex<float>> image = noise<float>(Matrix{8, 8, 1}.shape(1), 18), samples(sample_shape(1, 0));
  nufft.forward(context, image, samples);
  nufft.adjoint(context, samples, image);
  for (auto const& voxel : image) EXPECT_EQ(voxel, std::complex<float>(0));
}

}  // namespace
}  // namespace findrho
