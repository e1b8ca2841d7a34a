// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients for A x = b, A Hermitian positive semidefinite: the normal equations of the objective.
#pragma once
#include <complex>
#include <string>
#include <vector>

#include "findrho/operator/linear_operator.hpp"

namespace findrho {

struct CgOptions {
  int max_iterations = 30;
  double tolerance = 1e-4;  // on |b - A x| / |b|
  double objective_constant =
      0;                        // 1/2 |d|^2_w, so that the objective is 1/2 |F x - d|^2_w + lambda/2 |W x|^2
  int kept_residuals = 12;      // the first residuals, which later ones are kept orthogonal to; 0: plain CG
  std::string phase = "solve";  // the text of the iteration events
};

enum class StopReason {
  converged,  // the residual is below the tolerance
  max_iterations,
  breakdown,  // <p, A p> <= 0, or a value that is not finite: A is not positive semidefinite, or was given
              // NaN
  cancelled   // the context was asked to stop
};

/// "converged", "max_iterations", "breakdown", "cancelled"
char const* name(StopReason reason);

struct CgReport {
  int iterations = 0;  // steps that x has taken
  StopReason reason = StopReason::max_iterations;
  std::vector<double> residual;   // |b - A x| / |b| after each iteration, by the recurrence
  std::vector<double> objective;  // after each iteration
};

/// Solve A x = b from the start value in x, which is overwritten; whatever ends the loop, x is the best iterate so far.
/// b = 0 gives x = 0. Emits an iteration event per step and looks at context.cancelled() before each.
/// In exact arithmetic all residuals are orthogonal. In float they soon are not: an eigenvalue far above the rest (the
/// centre of k-space, sampled more densely than all else) is solved for in a few steps, and rounding brings its direction
/// back, a factor lambda_max / lambda larger in each step, until an iteration is lost on it. The first residuals span those
/// directions; keeping later ones orthogonal to them makes float follow double (tests/solver, tests/recipe).
/// Shapes  A square; b, x A.domain()
/// Errors  bad_shape, wrong_space
/// Cost    one A.forward per iteration (one more for a start value that is not 0); 3 + kept_residuals images of scratch,
///         the kept ones read twice per iteration
/// Source  Hestenes and Stiefel, J. Res. NBS 49:409 (1952); Parlett and Scott, Math. Comp. 33:217 (1979), for the loss of
///         orthogonality and selective remedies
template <class T>
CgReport cg(Context const& context, LinearOperator<T> const& A, View<std::complex<T> const> b,
            View<std::complex<T>> x, CgOptions const& options = {});

}  // namespace findrho
