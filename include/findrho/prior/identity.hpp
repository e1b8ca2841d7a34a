// SPDX-License-Identifier: BSD-3-Clause
// W = 1: the prior |rho|^2, Tikhonov's.
#pragma once
#include "findrho/operator/linear_operator.hpp"

namespace findrho {

/// W x = x. Spectral norm 1.
template <class T>
class Identity final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  explicit Identity(Shape const& shape) : LinearOperator<T>(shape, shape) {}

 private:
  void do_forward(Context const& context, View<C const> x, View<C> y, Write write) const override;
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override;
  void do_normal(Context const& context, View<C const> x, View<C> z, Write write) const override;
};

}  // namespace findrho
