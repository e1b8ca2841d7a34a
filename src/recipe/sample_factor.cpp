// SPDX-License-Identifier: BSD-3-Clause
#include "sample_factor.hpp"

#include <cmath>
#include <numbers>

namespace findrho {

double window_value(WindowKind kind, double u) {
  constexpr double kSlack = 1e-6;  // the exact edge plus rounding is inside
  if (kind != WindowKind::none && std::abs(u) > 1 + kSlack) return 0;
  switch (kind) {
    case WindowKind::none:
      return 1;
    case WindowKind::hann:
      return 0.5 + 0.5 * std::cos(std::numbers::pi * u);
    case WindowKind::hamming:
      return 0.54 + 0.46 * std::cos(std::numbers::pi * u);
    case WindowKind::gauss:
      return std::exp(-2 * u * u);  // standard deviation half of k_max
  }
  return 1;
}

SampleFactor::SampleFactor(Matrix const& matrix, Geometry const& geometry, ReconOptions const& options,
                           WindowKind window)
    : window_(window), trivial_(window == WindowKind::none) {
  for (std::size_t d = 0; d < 3; ++d) {
    auto const n = static_cast<double>(matrix[static_cast<int>(d)]);
    double const fov = geometry.fov_mm[d] > 0 ? geometry.fov_mm[d] : n;  // unknown: 1 mm voxels
    half_[d] = n / 2;
    shift_[d] = options.shift_mm[d] / fov;
    if (options.shift_mm[d] != 0) trivial_ = false;
  }
}

std::complex<double> SampleFactor::operator()(Trajectory const& trajectory, std::int64_t sample) const {
  double weight = 1, cycles = 0;
  for (int d = 0; d < trajectory.dims; ++d) {
    double const k = trajectory[d][static_cast<std::size_t>(sample)];
    weight *= window_value(window_, k / half_[static_cast<std::size_t>(d)]);
    cycles += k * shift_[static_cast<std::size_t>(d)];
  }
  return std::polar(weight, -2 * std::numbers::pi * cycles);
}

}  // namespace findrho
