// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/prior/edge_weighted_differences.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/operator/largest_eigenvalue.hpp"
#include "prior/differences.hpp"

namespace findrho {
namespace {

template <class T>
struct PerVoxel {
  T const* weight;
  std::int64_t voxels;
  T operator()(int d, std::int64_t n) const { return weight[d * voxels + n]; }
};

void check(View<float const> reference, EdgeOptions const& options) {
  if (!(options.edge_scale > 0)) {
    throw Error(ErrorKind::bad_option, fmt::format("edge scale is {}", options.edge_scale),
                "give a positive fraction of the reference image's largest edge, for example 0.1");
  }
  bool all_zero = true;
  for (std::int64_t i = 0; i < reference.size(); ++i) {
    if (!std::isfinite(reference[i])) {
      throw Error(ErrorKind::bad_option, "the reference image is not finite at voxel " + std::to_string(i),
                  "give a reference image without NaN and infinity");
    }
    all_zero = all_zero && reference[i] == 0;
  }
  if (all_zero) {
    throw Error(ErrorKind::bad_option, "the reference image is zero everywhere",
                "give a reference image of the same object, or use finite differences without edges");
  }
}

// W^H W of the weights as they are, to ask for its largest eigenvalue.
template <class T>
class Unscaled final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  Unscaled(Matrix const& matrix, T const* weight)
      : LinearOperator<T>(matrix.shape(), matrix.shape()), matrix_(matrix), weight_(weight) {}

 private:
  void do_forward(Context const& context, View<C const> x, View<C> z, Write write) const override {
    differences::normal(context, matrix_, PerVoxel<T>{weight_, matrix_.voxels()}, x.data, z.data, write);
  }
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override {
    do_forward(context, y, x, write);
  }
  Matrix matrix_;
  T const* weight_;
};

}  // namespace

template <class T>
EdgeWeightedDifferences<T>::EdgeWeightedDifferences(Context const& context, Matrix const& matrix,
                                                    View<float const> reference, EdgeOptions const& options)
    : LinearOperator<T>(matrix.shape(), differences::range(matrix)),
      matrix_(matrix),
      weight_(differences::range(matrix)) {
  require_shape(reference.shape, matrix.shape(), "reference image");
  check(reference, options);
  auto const for_edges = [&](auto const& f) {
    differences::for_rows(context, matrix_, [&](std::int64_t row, std::int64_t y, std::int64_t z) {
      for (int d = 0; d < matrix_.dims(); ++d) {
        std::int64_t const step = differences::stride(matrix_, d);
        std::int64_t const above = differences::Neighbours(matrix_, d, y, z).count_above;
        for (std::int64_t n = row; n < row + above; ++n) {
          f(weight_[d * matrix_.voxels() + n], static_cast<double>(reference[n + step]) - reference[n]);
        }
      }
    });
  };
  for_edges([](T& weight, double edge) { weight = static_cast<T>(std::abs(edge)); });
  double const s =
      options.edge_scale * static_cast<double>(*std::max_element(weight_.begin(), weight_.end()));
  for_edges([s](T& weight, double edge) {
    weight = static_cast<T>(s > 0 ? 1 / std::sqrt(1 + edge * edge / (s * s)) : 1);
  });
  // 1 % of the squared norm is 0.5 % of the norm.
  double const largest = largest_eigenvalue(context, Unscaled<T>(matrix_, weight_.data()));
  if (largest == 0) return;
  T const scale = static_cast<T>(1 / std::sqrt(largest));
  for (T& weight : weight_) weight *= scale;
}

template <class T>
void EdgeWeightedDifferences<T>::do_forward(Context const& context, View<C const> x, View<C> y,
                                            Write write) const {
  differences::forward(context, matrix_, PerVoxel<T>{weight_.data(), matrix_.voxels()}, x.data, y.data,
                       write);
}

template <class T>
void EdgeWeightedDifferences<T>::do_adjoint(Context const& context, View<C const> y, View<C> x,
                                            Write write) const {
  differences::adjoint(context, matrix_, PerVoxel<T>{weight_.data(), matrix_.voxels()}, y.data, x.data,
                       write);
}

template <class T>
void EdgeWeightedDifferences<T>::do_normal(Context const& context, View<C const> x, View<C> z,
                                           Write write) const {
  differences::normal(context, matrix_, PerVoxel<T>{weight_.data(), matrix_.voxels()}, x.data, z.data, write);
}

template class EdgeWeightedDifferences<float>;
template class EdgeWeightedDifferences<double>;

}  // namespace findrho
