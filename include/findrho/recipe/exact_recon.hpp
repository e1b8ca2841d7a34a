// SPDX-License-Identifier: BSD-3-Clause
// The reconstruction from F^H d and Q as any rung of the ladder made them: (Q * + lambda) rho = F^H d by cg.
#pragma once
#include <complex>
#include <memory>
#include <vector>

#include "findrho/core/scan.hpp"
#include "findrho/operator/linear_operator.hpp"
#include "findrho/solver/cg.hpp"

namespace findrho {

/// z = crop(Q * pad(x)): F^H W F as a convolution with a Q that was summed exactly.
/// Shapes  domain and range (z, y, x); q as unfold_q makes it, 2N points an axis (2D: one plane)
/// Errors  bad_shape
template <class T>
class ExactNormal final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  ExactNormal(Context const& context, Matrix const& matrix, View<C const> q);
  ~ExactNormal() override;

 private:
  void do_forward(Context const& context, View<C const> x, View<C> z, Write write) const override;
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct ExactReconOptions {
  double lambda = 1e-3;  // relative to the largest eigenvalue of F^H W F
  double lambda_absolute =
      -1;  // where it is not negative, it counts instead: the same for several reconstructions
  int iterations = 30;
  double tolerance = 1e-4;
};

struct ExactRecon {
  Array<std::complex<float>> image;  // (z, y, x)
  CgReport cg;
  double lambda_absolute = 0;
  double seconds = 0;  // of the solve
};

/// Errors  bad_shape
template <class T>
ExactRecon reconstruct_exact(Context const& context, Matrix const& matrix, View<std::complex<T> const> fhd,
                             View<std::complex<T> const> q, ExactReconOptions const& options = {});

}  // namespace findrho
