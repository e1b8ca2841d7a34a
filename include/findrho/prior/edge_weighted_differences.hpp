// SPDX-License-Identifier: BSD-3-Clause
// W = differences of neighbouring voxels, weakened where a reference image has an edge.
#pragma once
#include "findrho/core/scan.hpp"
#include "findrho/operator/linear_operator.hpp"

namespace findrho {

struct EdgeOptions {
  /// s below, as a fraction of the largest difference between neighbours in the reference: a step of size s halves the
  /// penalty |W x|^2 across it. Well above the reference's noise, below its tissue contrast.
  double edge_scale = 0.1;
};

/// (W x)[d, n] = c w[d, n] (x[n + e_d] - x[n]), and 0 for the last voxel along d,
///   w[d, n] = 1 / sqrt(1 + (|ref[n + e_d] - ref[n]| / s)^2).
/// Edges that the reference shows cost little, so they stay sharp; elsewhere the image is smoothed as by
/// FiniteDifferences.
/// Shapes  domain (z, y, x); range (dim, z, y, x); reference (z, y, x), magnitudes
/// Scale   c gives spectral norm 1 to 0.5 %, by largest_eigenvalue
/// Errors  bad_shape; bad_option for edge_scale <= 0, a reference that is not finite or all zero;
///         a reference without any edge gives FiniteDifferences
/// Source  Haldar, Hernando, Song and Liang, MRM 59:810 (2008): anatomically constrained quadratic weights
template <class T>
class EdgeWeightedDifferences final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  EdgeWeightedDifferences(Context const& context, Matrix const& matrix, View<float const> reference,
                          EdgeOptions const& options = {});
  View<T const> weights() const { return weight_; }  // c w

 private:
  void do_forward(Context const& context, View<C const> x, View<C> y, Write write) const override;
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override;
  void do_normal(Context const& context, View<C const> x, View<C> z, Write write) const override;
  Matrix matrix_;
  Array<T> weight_;  // (dim, z, y, x), c included
};

}  // namespace findrho
