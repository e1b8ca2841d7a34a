// SPDX-License-Identifier: BSD-3-Clause
// Coil noise made white and equal, from the scan's noise readouts: after it, least squares is optimal.
#pragma once
#include <complex>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"

namespace findrho {

/// The linear combination of coils that makes noise with the readouts' covariance Psi white: s L^-1, Psi = L L^H, with s
/// such that the mean noise variance of the coils stays what it was.
/// Source  Pruessmann et al., MRM 46:638 (2001), appendix A
class NoiseWhitening {
 public:
  /// Shapes  noise (coil, sample)
  /// Errors  bad_file when the covariance is singular (a dead coil, or fewer samples than coils)
  explicit NoiseWhitening(View<std::complex<float> const> noise);

  /// Replaces the coils of every element: data (coil, ...).
  void apply(Context const& context, View<std::complex<float>> data) const;

 private:
  std::int64_t coils_;
  std::vector<std::complex<double>> matrix_;  // lower triangular, row by row
};

}  // namespace findrho
