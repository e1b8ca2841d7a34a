// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/operator/linear_operator.hpp"

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

void require_host(Space space, char const* what) {
  if (space == Space::host) return;
  throw Error(ErrorKind::wrong_space,
              std::string(what) + " is in device memory, this operator works on the host",
              "copy the array to the host first");
}

template <class C>
void check(View<C const> in, Shape const& in_shape, char const* in_name, View<C> out, Shape const& out_shape,
           char const* out_name) {
  require_shape(in.shape, in_shape, in_name);
  require_shape(out.shape, out_shape, out_name);
  require_host(in.space, in_name);
  require_host(out.space, out_name);
}

}  // namespace

template <class T>
void LinearOperator<T>::forward(Context const& context, View<C const> x, View<C> y, Write write) const {
  check<C>(x, domain_, "operator input", y, range_, "operator output");
  do_forward(context, x, y, write);
}

template <class T>
void LinearOperator<T>::adjoint(Context const& context, View<C const> y, View<C> x, Write write) const {
  check<C>(y, range_, "adjoint input", x, domain_, "adjoint output");
  do_adjoint(context, y, x, write);
}

template <class T>
void LinearOperator<T>::normal(Context const& context, View<C const> x, View<C> z, Write write) const {
  check<C>(x, domain_, "normal operator input", z, domain_, "normal operator output");
  do_normal(context, x, z, write);
}

template <class T>
void LinearOperator<T>::do_normal(Context const& context, View<C const> x, View<C> z, Write write) const {
  if (between_.empty()) between_ = Array<C>(range_);
  do_forward(context, x, between_, Write::replace);
  do_adjoint(context, between_, z, write);
}

template class LinearOperator<float>;
template class LinearOperator<double>;

}  // namespace findrho
