// SPDX-License-Identifier: BSD-3-Clause
// The one operator interface: a checked public call around private virtual work.
#pragma once
#include <complex>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"

namespace findrho {

/// A linear map between complex arrays on the host. T is float or double.
/// An operator owns its scratch: one call at a time, no allocation after the first call.
template <class T>
class LinearOperator {
 public:
  using C = std::complex<T>;
  virtual ~LinearOperator() = default;

  Shape const& domain() const { return domain_; }
  Shape const& range() const { return range_; }

  /// y = A x        Shapes  x domain(), y range()    Errors  bad_shape, wrong_space
  void forward(Context const& context, View<C const> x, View<C> y, Write write = Write::replace) const;
  /// x = A^H y      Shapes  y range(), x domain()    Errors  bad_shape, wrong_space
  void adjoint(Context const& context, View<C const> y, View<C> x, Write write = Write::replace) const;
  /// z = A^H A x    Shapes  x and z domain()         Errors  bad_shape, wrong_space
  void normal(Context const& context, View<C const> x, View<C> z, Write write = Write::replace) const;

 protected:
  LinearOperator(Shape const& domain, Shape const& range) : domain_(domain), range_(range) {}

 private:
  virtual void do_forward(Context const& context, View<C const> x, View<C> y, Write write) const = 0;
  virtual void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const = 0;
  /// Default: adjoint(forward(x)) through an intermediate that is allocated at the first call.
  virtual void do_normal(Context const& context, View<C const> x, View<C> z, Write write) const;

  Shape domain_, range_;
  mutable Array<C> between_;
};

}  // namespace findrho
