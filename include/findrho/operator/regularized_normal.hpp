// SPDX-License-Identifier: BSD-3-Clause
// The left-hand side of the normal equations as one operator.
#pragma once
#include "findrho/operator/linear_operator.hpp"

namespace findrho {

/// z = (F^H W_d F + lambda W^H W) x, from the data part as one operator (ToeplitzNormal or WeightedNormal)
/// and W. Shapes  domain and range: the image's
template <class T>
class RegularizedNormal final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  /// lambda is absolute; both operators must outlive this one. lambda 0 leaves W out.
  /// Errors  bad_shape when data or W do not act on the same image; bad_option for lambda < 0 or not finite
  RegularizedNormal(LinearOperator<T> const& data, LinearOperator<T> const& W, double lambda);

 private:
  void do_forward(Context const& context, View<C const> x, View<C> z, Write write) const override;
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override;
  LinearOperator<T> const& data_;
  LinearOperator<T> const& W_;
  T lambda_;
  mutable Array<C> prior_part_;
};

}  // namespace findrho
