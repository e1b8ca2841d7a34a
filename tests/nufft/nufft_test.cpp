// SPDX-License-Identifier: BSD-3-Clause
// Nufft against the exact sums in double, and the laws of an operator.
#include "findrho/nufft/nufft.hpp"

#include <gtest/gtest.h>

#include <cmath>
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
  if (std::is_same_v<T, float>) return oversampling == 1.25 && accuracy < 1e-4;
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
        std::printf("SHOW %g %g %g %g %s\n", accuracy, oversampling, relative_error(got, samples) / accuracy,
                    relative_error(image_got, back) / accuracy, nufft.description().c_str());
        EXPECT_LE(relative_error(got, samples), accuracy) << "forward " << what;
        EXPECT_LE(relative_error(image_got, back), accuracy) << "adjoint " << what;
      }
    }
  }
}

}  // namespace
}  // namespace findrho
