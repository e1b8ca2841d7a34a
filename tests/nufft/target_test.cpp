// SPDX-License-Identifier: BSD-3-Clause
// Every instruction set that this machine has gives the same transforms, up to the order of additions.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "findrho/dft/exact_sum.hpp"
#include "findrho/nufft/nufft.hpp"
#include "nufft/samples.hpp"
#include "support/use_target.hpp"

namespace findrho {
namespace {

template <class T>
void compare_targets() {
  Context const context = Context::cpu(2);
  int const tested = test::under_each_target([&](char const* target) {
    for (Matrix const m : {Matrix{18, 15, 1}, Matrix{9, 8, 7}}) {
      Trajectory const t = test::every_kind_of_point(m, 150, 1);
      for (int width : {2, 3, 4, 5, 8, 11}) {
        Nufft<T> const nufft(context, t, m, {.oversampling = 2, .width = width});
        for (std::int64_t coils : {1, 2, 4, 8}) {
          auto const x = test::noise<T>(m.shape(coils), 2),
                     y = test::noise<T>(sample_shape(coils, t.size()), 3);
          Array<std::complex<T>> fx(y.shape()), fy(x.shape());
          nufft.forward(context, x, fx);
          nufft.adjoint(context, y, fy);
          Array<std::complex<double>> want(y.shape()), back(x.shape());
          exact_forward<double>(context, t, convert<std::complex<double>>(x.view()), want);
          exact_adjoint<double>(context, t, convert<std::complex<double>>(y.view()), back);
          // Measured errors at oversampling 2 are below 10^(1 - width) times 2 (docs/math/nufft.md), then rounding rules.
          double const bound =
              2 * std::pow(10.0, 1 - width) + 100 * static_cast<double>(std::numeric_limits<T>::epsilon());
          EXPECT_LE(test::relative_error(fx, want), bound) << target << " width " << width;
          EXPECT_LE(test::relative_error(fy, back), bound) << target << " width " << width;
        }
      }
    }
  });
  EXPECT_GE(tested, 1);
}

TEST(Target, EachInstructionSetTransformsInSinglePrecision) {
  compare_targets<float>();
}
TEST(Target, EachInstructionSetTransformsInDoublePrecision) {
  compare_targets<double>();
}

}  // namespace
}  // namespace findrho
