// SPDX-License-Identifier: BSD-3-Clause
// The gridding kernel: its choice from the asked accuracy, its polynomial form, its Fourier transform
// (private header). The formulas and the measured errors are in docs/math/nufft.md.
#pragma once
#include <vector>

#include "findrho/core/scan.hpp"
#include "findrho/nufft/nufft.hpp"

namespace findrho::nufft {

inline constexpr int kMaxWidth = 16;

/// Kernel and grid that a set of options leads to.
struct Design {
  GriddingKernel kernel;
  int dims;
  int width;        // in grid cells
  double accuracy;  // that the polynomials are made for
  double beta;      // shape of the Kaiser-Bessel kernel
  Matrix grid;
  double oversampling;  // smallest grid size over matrix size
};

/// epsilon: unit roundoff of the precision; smallest_accuracy: what may be asked for in it.
/// Errors  bad_option
Design choose_design(std::int64_t samples, Matrix const& matrix, NufftOptions const& options, double epsilon,
                     double smallest_accuracy);

/// What to expect of a kernel on one axis, for white images and evenly spread samples.
struct AxisError {
  double aliasing;  // rms over the voxels of sqrt(sum_{m != 0} phi^(u + m)^2) / phi^(u), u = n / G
  double rounding;  // growth of rounding errors by deapodisation: rms of phi^ times rms of 1 / phi^
};
AxisError axis_error(int width, double beta, std::int64_t matrix, std::int64_t grid);

/// beta of Beatty, Nishimura and Pauly, IEEE TMI 24:799 (2005), equation 5.
double beatty_beta(int width, double oversampling);

/// The kernel as one polynomial per grid cell: the weight of cell j of a patch for a sample whose fraction is
/// s in
/// [-1/2, 1/2), that is phi(j - (W-1)/2 + s).
class PiecewiseKernel {
 public:
  explicit PiecewiseKernel(Design const& design);
  int width() const { return width_; }
  int degree() const { return degree_; }
  /// Coefficient of s^power for cell j.
  double coefficient(int cell, int power) const {
    return coefficients_[static_cast<std::size_t>(cell * (degree_ + 1) + power)];
  }
  double operator()(int cell, double s) const;
  /// Fourier transform of these polynomials at u cycles per grid cell, by Gauss-Legendre quadrature.
  double transform(double u) const;

 private:
  int width_, degree_;
  std::vector<double> coefficients_;
};

}  // namespace findrho::nufft
