// SPDX-License-Identifier: BSD-3-Clause
#include "self_test.hpp"

#include <cmath>
#include <complex>
#include <random>

#include "findrho/dft/exact_sum.hpp"
#include "findrho/nufft/nufft.hpp"

namespace findrho {
namespace {

using C = std::complex<float>;

double relative_error(Array<C> const& values, Array<C> const& exact) {
  double difference_sq = 0, norm_sq = 0;
  for (std::int64_t i = 0; i < exact.size(); ++i) {
    difference_sq += std::norm(std::complex<double>(values[i]) - std::complex<double>(exact[i]));
    norm_sq += std::norm(std::complex<double>(exact[i]));
  }
  return std::sqrt(difference_sq / norm_sq);
}

}  // namespace

SelfTest run_self_test(Context const& context) {
  Matrix const matrix{24, 21, 1};  // even and odd
  std::int64_t const samples = 500;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> position(-0.5, 0.5);
  std::normal_distribution<float> value;
  Trajectory trajectory;
  for (std::int64_t i = 0; i < samples; ++i) {
    trajectory.kx.push_back(position(random) * static_cast<double>(matrix.x));
    trajectory.ky.push_back(position(random) * static_cast<double>(matrix.y));
  }
  Array<C> image(matrix.shape(1)), data(sample_shape(1, samples));
  for (C& voxel : image) voxel = {value(random), value(random)};
  for (C& sample : data) sample = {value(random), value(random)};

  Array<C> forward(data.shape()), exact_samples(data.shape()), adjoint(image.shape()),
      exact_image(image.shape());
  SelfTest test{.asked = NufftOptions{}.accuracy};
  Nufft<float> const nufft(context, trajectory, matrix);
  nufft.forward(context, image, forward);
  nufft.adjoint(context, data, adjoint);
  exact_forward<float>(context, trajectory, image, exact_samples);
  exact_adjoint<float>(context, trajectory, data, exact_image);
  test.forward_error = relative_error(forward, exact_samples);
  test.adjoint_error = relative_error(adjoint, exact_image);
  return test;
}

}  // namespace findrho
