// SPDX-License-Identifier: BSD-3-Clause
// The largest eigenvalue of a Hermitian positive semidefinite operator, to a stated relative error.
#pragma once
#include <cstdint>

#include "findrho/operator/linear_operator.hpp"

namespace findrho {

struct PowerOptions {
  double tolerance = 1e-2;  // relative error of the result
  std::uint64_t seed = 1;   // of the start vector
  int max_iterations = 200;
};

/// lambda_max(A) of a Hermitian positive semidefinite A, through A.forward, within the relative tolerance.
/// Lanczos rather than the power method, because its recurrence also bounds the eigenvalue from above: a Ritz
/// value alone is always too small by an unknown amount. The bound fails for at most one start vector in
/// 100. Errors  bad_option; bad_shape when the operator is not square Cost    one product per iteration,
/// about 5 when the largest eigenvalue stands alone and at most 45 at 1 % for two
///         million voxels; three images of scratch. Where max_iterations end it, a warning is emitted.
/// Source  Zhou and Li, Lin. Algebra Appl. 435:480 (2011) and van Dorsselaer, Hochstenbach and van der Vorst,
/// SIAM J.
///         Matrix Anal. Appl. 22:837 (2000): probabilistic upper bounds from the Lanczos polynomial
template <class T>
double largest_eigenvalue(Context const& context, LinearOperator<T> const& hermitian,
                          PowerOptions const& options = {});

}  // namespace findrho
