// SPDX-License-Identifier: BSD-3-Clause
// The gridding kernel: its choice from the asked accuracy, its polynomial form, its Fourier transform
// (private header). The formulas and the measured errors are in docs/math/nufft.md.
#pragma once
#include <string>
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

/// A trajectory of so many dimensions fits the matrix.
/// Errors  bad_shape
void require_dims(int trajectory_dims, Matrix const& matrix);

/// epsilon: unit roundoff of the precision; smallest_accuracy: what may be asked for in it.
/// Errors  bad_option
Design choose_design(std::int64_t samples, Matrix const& matrix, NufftOptions const& options, double epsilon,
                     double smallest_accuracy);

/// For precision T: below the smallest accuracies the rounding of T itself is larger (docs/math/nufft.md).
template <class T>
Design choose_design(std::int64_t samples, Matrix const& matrix, NufftOptions const& options) {
  bool const single = sizeof(T) == sizeof(float);
  return choose_design(samples, matrix, options, single ? 0x1p-24 : 0x1p-53, single ? 1e-6 : 1e-12);
}

/// The kernel of Pipe and Menon's C (findrho/nufft/pipe_menon.hpp), in single precision.
/// It is applied twice, going to the grid and coming back: C's kernel is its autocorrelation, 2W cells of the
/// doubled grid or W cycles/FOV wide at its foot. W = 3 puts its half maximum at about one cycle/FOV, the first zero of
/// the point spread function of the object's support, where Johnson and Pipe place it.
Design convolution_design(Matrix const& matrix);

/// "Kaiser-Bessel, width 4, oversampling 1.5, grid 384 x 384"
std::string describe(Design const& design);

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

 private:
  int width_, degree_;
  std::vector<double> coefficients_;
};

/// 1 / phi^(n / G) for the voxels of one axis: what the convolution with the kernel did to the image. phi^: the Fourier
/// transform of the polynomials, by Gauss-Legendre quadrature.
std::vector<double> deapodisation(PiecewiseKernel const& kernel, std::int64_t matrix, std::int64_t grid);

}  // namespace findrho::nufft
