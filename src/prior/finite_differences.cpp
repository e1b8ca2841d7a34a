// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/prior/finite_differences.hpp"

#include <cmath>
#include <numbers>

#include "prior/differences.hpp"

namespace findrho {
namespace {

double largest_eigenvalue_of_laplacian(Matrix const& m) {
  double sum = 0;
  for (int d = 0; d < m.dims(); ++d) {
    if (m[d] == 1) continue;
    double const c = std::cos(std::numbers::pi / (2 * static_cast<double>(m[d])));
    sum += 4 * c * c;
  }
  return sum;
}

template <class T>
struct Uniform {
  T scale;
  T operator()(int, std::int64_t) const { return scale; }
};

}  // namespace

template <class T>
FiniteDifferences<T>::FiniteDifferences(Matrix const& matrix)
    : LinearOperator<T>(matrix.shape(), differences::range(matrix)), matrix_(matrix) {
  double const largest = largest_eigenvalue_of_laplacian(matrix);
  if (largest > 0) scale_ = static_cast<T>(1 / std::sqrt(largest));
}

template <class T>
void FiniteDifferences<T>::do_forward(Context const& context, View<C const> x, View<C> y, Write write) const {
  differences::forward(context, matrix_, Uniform<T>{scale_}, x.data, y.data, write);
}

template <class T>
void FiniteDifferences<T>::do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const {
  differences::adjoint(context, matrix_, Uniform<T>{scale_}, y.data, x.data, write);
}

template <class T>
void FiniteDifferences<T>::do_normal(Context const& context, View<C const> x, View<C> z, Write write) const {
  differences::normal(context, matrix_, Uniform<T>{scale_}, x.data, z.data, write);
}

template class FiniteDifferences<float>;
template class FiniteDifferences<double>;

}  // namespace findrho
