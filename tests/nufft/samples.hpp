// SPDX-License-Identifier: BSD-3-Clause
// Trajectories and noise that the tests of this folder share.
#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>

#include "findrho/core/array.hpp"
#include "findrho/core/scan.hpp"

namespace findrho::test {

template <class T>
Array<std::complex<T>> noise(Shape const& shape, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Array<std::complex<T>> a(shape);
  for (auto& v : a) {
    double const re = normal(random), im = normal(random);
    v = {static_cast<T>(re), static_cast<T>(im)};
  }
  return a;
}

/// Relative l2 distance, in double.
template <class T>
double relative_error(Array<std::complex<T>> const& got, Array<std::complex<double>> const& want) {
  double difference = 0, norm = 0;
  for (std::int64_t i = 0; i < want.size(); ++i) {
    difference += std::norm(std::complex<double>(got[i]) - want[i]);
    norm += std::norm(want[i]);
  }
  return std::sqrt(difference / norm);
}

/// Points anywhere in the sampled range, on the integer grid, on the edges +-N/2, and up to two periods
/// outside.
inline Trajectory every_kind_of_point(Matrix const& m, std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Trajectory t;
  t.dims = m.dims();
  for (std::int64_t s = 0; s < count; ++s) {
    for (int d = 0; d < t.dims; ++d) {
      double const n = static_cast<double>(m[d]), k = n * uniform(random);
      switch (random() % 8) {
        case 0:
          t[d].push_back(std::round(k));
          break;
        case 1:
          t[d].push_back(k < 0 ? -n / 2 : n / 2);
          break;
        case 2:
          t[d].push_back(5 * k);
          break;
        default:
          t[d].push_back(k);
      }
    }
  }
  return t;
}

/// Spokes through the centre, in 3D spread over the sphere by the golden angle.
inline Trajectory radial(Matrix const& m, std::int64_t spokes, std::int64_t per_spoke) {
  Trajectory t;
  t.dims = m.dims();
  t.samples_per_readout = per_spoke;
  double const golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (std::int64_t i = 0; i < spokes; ++i) {
    double const part = (static_cast<double>(i) + 0.5) / static_cast<double>(spokes);
    double const cosine = t.dims == 3 ? 1 - part : 0, sine = std::sqrt(1 - cosine * cosine);
    double const angle = t.dims == 3 ? golden * static_cast<double>(i) : std::numbers::pi * part;
    for (std::int64_t j = 0; j < per_spoke; ++j) {
      double const r = static_cast<double>(j) / static_cast<double>(per_spoke) - 0.5;
      t.kx.push_back(static_cast<double>(m.x) * r * sine * std::cos(angle));
      t.ky.push_back(static_cast<double>(m.y) * r * sine * std::sin(angle));
      if (t.dims == 3) t.kz.push_back(static_cast<double>(m.z) * r * cosine);
    }
  }
  return t;
}

}  // namespace findrho::test
