// SPDX-License-Identifier: BSD-3-Clause
// W = differences of neighbouring voxels: the prior that rewards smooth images.
#pragma once
#include "findrho/core/scan.hpp"
#include "findrho/operator/linear_operator.hpp"

namespace findrho {

/// (W x)[d, n] = c (x[n + e_d] - x[n]), and 0 for the last voxel along d: no wrap-around.
/// Shapes  domain (z, y, x); range (dim, z, y, x) with d = x, y and, for z > 1, z
/// Scale   c gives spectral norm 1: W^H W is c^2 times a sum of path-graph Laplacians, whose largest
/// eigenvalue is
///         sum_d 4 cos^2(pi / (2 N_d)). An image of one voxel has W = 0.
template <class T>
class FiniteDifferences final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  explicit FiniteDifferences(Matrix const& matrix);
  T scale() const { return scale_; }  // c

 private:
  void do_forward(Context const& context, View<C const> x, View<C> y, Write write) const override;
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override;
  void do_normal(Context const& context, View<C const> x, View<C> z, Write write) const override;
  Matrix matrix_;
  T scale_ = 0;
};

}  // namespace findrho
