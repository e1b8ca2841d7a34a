// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/operator/regularized_normal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/operator/vector_ops.hpp"

namespace findrho {

template <class T>
RegularizedNormal<T>::RegularizedNormal(LinearOperator<T> const& data, LinearOperator<T> const& W,
                                        double lambda)
    : LinearOperator<T>(data.domain(), data.domain()), data_(data), W_(W), lambda_(static_cast<T>(lambda)) {
  require_shape(data.range(), data.domain(), "range of the data part of the normal equations");
  require_shape(W.domain(), data.domain(), "domain of the prior");
  if (!(lambda >= 0) || !std::isfinite(lambda)) {
    throw Error(ErrorKind::bad_option, fmt::format("lambda is {}", lambda),
                "give a number that is 0 or more");
  }
}

template <class T>
void RegularizedNormal<T>::do_forward(Context const& context, View<C const> x, View<C> z, Write write) const {
  data_.forward(context, x, z, write);
  if (lambda_ == 0) return;
  if (prior_part_.empty()) prior_part_ = Array<C>(this->domain());
  W_.normal(context, x, prior_part_);
  axpy<T>(context, lambda_, prior_part_, z);
}

template <class T>
void RegularizedNormal<T>::do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const {
  do_forward(context, y, x, write);
}

template class RegularizedNormal<float>;
template class RegularizedNormal<double>;

}  // namespace findrho
