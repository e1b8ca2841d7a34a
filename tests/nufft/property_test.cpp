// SPDX-License-Identifier: BSD-3-Clause
// Whatever the matrix, the accuracy and the oversampling: as accurate as asked, or refused.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "findrho/core/error.hpp"
#include "findrho/dft/exact_sum.hpp"
#include "findrho/nufft/nufft.hpp"
#include "nufft/samples.hpp"

namespace findrho {
namespace {

TEST(Property, NufftIsAsAccurateAsAskedOrRefuses) {
  Context const context = Context::cpu(2);
  bool const held = rc::check([&] {
    Matrix const m{*rc::gen::inRange(2, 40), *rc::gen::inRange(2, 30), *rc::gen::inRange(1, 8)};
    NufftOptions const options{.accuracy = std::pow(10.0, -*rc::gen::inRange(1, 12)),
                               .oversampling = *rc::gen::element(0.0, 1.25, 1.3, 1.5, 1.77, 2.0)};
    unsigned const seed = *rc::gen::arbitrary<unsigned>();
    Trajectory const t = test::every_kind_of_point(m, 200, seed);
    auto const x = test::noise<double>(m.shape(1), seed + 1),
               y = test::noise<double>(sample_shape(1, 200), seed + 2);
    Array<std::complex<double>> fx(y.shape()), fy(x.shape()), want_fx(y.shape()), want_fy(x.shape());
    std::unique_ptr<Nufft<double>> nufft;
    try {
      nufft = std::make_unique<Nufft<double>>(context, t, m, options);
    } catch (Error const& error) {
      RC_ASSERT(error.kind == ErrorKind::bad_option);
      RC_ASSERT(options.oversampling > 0 && options.oversampling < 2 && options.accuracy < 1e-8);
      return;
    }
    nufft->forward(context, x, fx);
    nufft->adjoint(context, y, fy);
    exact_forward<double>(context, t, x, want_fx);
    exact_adjoint<double>(context, t, y, want_fy);
    // The accuracy is a mean over positions and values. The norm of N random complex numbers varies by 1 / (2 sqrt(N)) of
    // itself; allowed are five standard deviations of a quotient of two.
    double const numbers = static_cast<double>(std::min<std::int64_t>(200, m.voxels()));
    double const limit = options.accuracy * (1 + 5 * std::sqrt(2.0) / (2 * std::sqrt(numbers)));
    RC_ASSERT(test::relative_error(fx, want_fx) <= limit);
    RC_ASSERT(test::relative_error(fy, want_fy) <= limit);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace findrho
