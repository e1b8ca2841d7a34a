// SPDX-License-Identifier: BSD-3-Clause
// The sums that a reconstruction takes by the vectorised rung against the sums in double.
#include "findrho/dft/vector_sum.hpp"

#include <gtest/gtest.h>

#include "dft/small_sums.hpp"
#include "findrho/dft/exact_sum.hpp"

namespace findrho {
namespace {

using test::kOddBox;
constexpr std::int64_t kSamples = 97, kCoils = 3;

template <class T>
Array<std::complex<T>> coil_samples() {
  auto const values = test::random_values(kCoils * kSamples, 6);
  Array<std::complex<T>> samples(sample_shape(kCoils, kSamples));
  for (std::int64_t i = 0; i < samples.size(); ++i)
    samples[i] = std::complex<T>(values[static_cast<std::size_t>(i)]);
  return samples;
}

template <class T>
void expect_every_coils_sum() {
  Context const context = Context::cpu(2);
  Trajectory const trajectory = test::random_trajectory(kOddBox, kSamples, 1);
  auto const samples = coil_samples<T>();
  Array<std::complex<T>> images(kOddBox.shape(kCoils));
  vector_adjoint<T>(context, trajectory, samples, images);
  Array<std::complex<double>> expected(images.shape());
  exact_adjoint<double>(context, trajectory, convert<std::complex<double>>(samples.view()), expected);
  for (std::int64_t c = 0; c < kCoils; ++c) {
    std::vector<std::complex<double>> d(kSamples);
    for (std::int64_t m = 0; m < kSamples; ++m)
      d[static_cast<std::size_t>(m)] = std::complex<double>(samples[c * kSamples + m]);
    double const allowed = test::worst_error(fhd_sum<T>(trajectory, kOddBox, d));
    for (std::int64_t n = 0; n < kOddBox.voxels(); ++n) {
      std::int64_t const i = c * kOddBox.voxels() + n;
      ASSERT_LE(std::abs(std::complex<double>(images[i]) - expected[i]), allowed)
          << "coil " << c << ", " << n;
    }
  }
}

TEST(VectorAdjoint, IsTheSumOfEveryCoil) {
  expect_every_coils_sum<float>();
  expect_every_coils_sum<double>();
}

TEST(VectorQ, DoesNotDependOnBlockAndVectorsInFlight) {
  Context const context = Context::cpu(2);
  Trajectory const trajectory = test::random_trajectory(kOddBox, kSamples, 1);
  auto const weights = test::random_weights(kSamples);
  auto const q = vector_q<float>(context, trajectory, kOddBox, weights);
  for (int const vectors : {1, 2, 3}) {
    auto const other =
        vector_q<float>(context, trajectory, kOddBox, weights,
                        {.block_size = 100 * vectors, .chunk = kVectorRung.chunk, .per_thread = vectors});
    for (std::int64_t i = 0; i < q.size(); ++i) ASSERT_EQ(q[i], other[i]) << vectors << ", " << i;
  }
}

}  // namespace
}  // namespace findrho
