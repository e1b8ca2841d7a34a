// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/prior/identity.hpp"

#include "findrho/operator/vector_ops.hpp"

namespace findrho {

template <class T>
void Identity<T>::do_forward(Context const& context, View<C const> x, View<C> y, Write write) const {
  for_blocks(context, x.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) y[i] = write == Write::add ? y[i] + x[i] : x[i];
  });
}

template <class T>
void Identity<T>::do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const {
  do_forward(context, y, x, write);
}

template <class T>
void Identity<T>::do_normal(Context const& context, View<C const> x, View<C> z, Write write) const {
  do_forward(context, x, z, write);
}

template class Identity<float>;
template class Identity<double>;

}  // namespace findrho
