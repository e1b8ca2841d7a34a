// SPDX-License-Identifier: BSD-3-Clause
// Small operators as matrices, and matrices as operators.
#pragma once
#include <Eigen/Dense>
#include <utility>

#include "findrho/operator/linear_operator.hpp"

namespace findrho::laws {

/// The matrix of an operator, column by column.
template <class T>
Eigen::MatrixXcd dense(Context const& context, LinearOperator<T> const& A) {
  using C = std::complex<T>;
  Array<C> unit(A.domain()), column(A.range());
  Eigen::MatrixXcd matrix(column.size(), unit.size());
  for (std::int64_t j = 0; j < unit.size(); ++j) {
    unit[j] = 1;
    A.forward(context, unit, column);
    unit[j] = 0;
    for (std::int64_t i = 0; i < column.size(); ++i) matrix(i, j) = std::complex<double>(column[i]);
  }
  return matrix;
}

/// y = A x for a dense A, on arrays of one axis.
template <class T>
class Dense final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  explicit Dense(Eigen::MatrixXcd matrix)
      : LinearOperator<T>({{Axis::other, matrix.cols()}}, {{Axis::other, matrix.rows()}}),
        matrix_(std::move(matrix)) {}

 private:
  static void multiply(Eigen::MatrixXcd const& m, View<C const> x, View<C> y, Write write) {
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      std::complex<double> sum = 0;
      for (Eigen::Index j = 0; j < m.cols(); ++j) sum += m(i, j) * std::complex<double>(x[j]);
      y[i] = (write == Write::add ? y[i] : C{}) + C(sum);
    }
  }
  void do_forward(Context const&, View<C const> x, View<C> y, Write write) const override {
    multiply(matrix_, x, y, write);
  }
  void do_adjoint(Context const&, View<C const> y, View<C> x, Write write) const override {
    multiply(matrix_.adjoint(), y, x, write);
  }
  Eigen::MatrixXcd matrix_;
};

}  // namespace findrho::laws
