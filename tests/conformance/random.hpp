// SPDX-License-Identifier: BSD-3-Clause
// Seeded random arrays, trajectories and maps for the laws.
#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>

#include "findrho/core/array.hpp"
#include "findrho/core/scan.hpp"

namespace findrho::laws {

template <class T>
Array<std::complex<T>> random_array(Shape const& shape, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Array<std::complex<T>> result(shape);
  for (auto& value : result) value = {static_cast<T>(normal(engine)), static_cast<T>(normal(engine))};
  return result;
}

/// Uniform in |k_d| <= N_d / 2.
inline Trajectory random_trajectory(Matrix const& matrix, std::int64_t samples, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Trajectory trajectory;
  trajectory.dims = matrix.dims();
  for (int d = 0; d < trajectory.dims; ++d) {
    for (std::int64_t m = 0; m < samples; ++m) {
      trajectory[d].push_back(uniform(engine) * static_cast<double>(matrix[d]));
    }
  }
  return trajectory;
}

inline std::vector<double> random_weights(std::int64_t samples, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0.2, 1.2);
  std::vector<double> weights(static_cast<std::size_t>(samples));
  for (double& w : weights) w = uniform(engine);
  return weights;
}

/// |a - b| / |b|
template <class A, class B>
double relative_error(View<A> a, View<B> b) {
  double difference = 0, size = 0;
  for (std::int64_t i = 0; i < b.size(); ++i) {
    std::complex<double> const p(a[i]), q(b[i]);
    difference += std::norm(p - q);
    size += std::norm(q);
  }
  return std::sqrt(difference / size);
}
template <class A, class B>
double relative_error(Array<A> const& a, Array<B> const& b) {
  return relative_error(a.view(), b.view());
}

}  // namespace findrho::laws
