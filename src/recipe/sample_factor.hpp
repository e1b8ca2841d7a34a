// SPDX-License-Identifier: BSD-3-Clause
// Factors that multiply every sample by its k: apodisation windows and the phase ramp of a shifted image.
#pragma once
#include <array>
#include <complex>

#include "findrho/recipe/recon.hpp"

namespace findrho {

/// Window value at u = k / k_max, |u| <= 1: 1 in the centre; 0 beyond the edge for every window but none.
double window_value(WindowKind kind, double u);

/// Product over the axes of window(k_d / (N_d/2)) exp(-i 2 pi k_d shift_d / FOV_d).
/// Shifting the image by +s multiplies its transform by exp(-i 2 pi k s).
class SampleFactor {
 public:
  SampleFactor(Matrix const& matrix, Geometry const& geometry, ReconOptions const& options,
               WindowKind window);
  bool trivial() const { return trivial_; }
  std::complex<double> operator()(Trajectory const& trajectory, std::int64_t sample) const;

 private:
  std::array<double, 3> half_{}, shift_{};
  WindowKind window_;
  bool trivial_;
};

}  // namespace findrho
