// SPDX-License-Identifier: BSD-3-Clause
// The iterative solve of one frame: (F^H W_d F + lambda W^H W) rho = F^H W_d d. Read docs/math/equation.md first.
#include <memory>

#include "density.hpp"
#include "findrho/operator/encoding.hpp"
#include "findrho/operator/largest_eigenvalue.hpp"
#include "findrho/operator/regularized_normal.hpp"
#include "findrho/operator/vector_ops.hpp"
#include "findrho/prior/edge_weighted_differences.hpp"
#include "findrho/prior/finite_differences.hpp"
#include "findrho/prior/identity.hpp"
#include "frame_recon.hpp"

namespace findrho {
namespace {

template <class T>
std::unique_ptr<LinearOperator<T>> make_prior(Context const& context, Matrix const& matrix,
                                              ReconOptions const& options, View<float const> reference) {
  switch (options.prior) {
    case PriorKind::identity:
      return std::make_unique<Identity<T>>(matrix.shape());
    case PriorKind::differences:
      return std::make_unique<FiniteDifferences<T>>(matrix);
    case PriorKind::edges:
      break;
  }
  return std::make_unique<EdgeWeightedDifferences<T>>(context, matrix, reference,
                                                      EdgeOptions{.edge_scale = options.edge_scale});
}

/// d times the objective's weights, in place; returns 1/2 |d|^2_w of what d was.
template <class T>
double weight_samples(View<std::complex<T>> d, std::vector<double> const& weights) {
  auto const count = d.shape.extent(Axis::sample);
  double sum = 0;
  for (std::int64_t i = 0; i < d.size(); ++i) {
    double const w = weights.empty() ? 1 : weights[static_cast<std::size_t>(i % count)];
    sum += 0.5 * w * static_cast<double>(std::norm(d[i]));
    d[i] *= static_cast<T>(w);
  }
  return sum;
}

}  // namespace

template <class T>
std::shared_ptr<ToeplitzKernel<T> const> FrameReconstructor<T>::toeplitz_kernel() {
  if (!kernel_) {
    Phase const phase(context_, "Toeplitz kernel");
    EncodingOptions const encoding{.transform = options_.q, .nufft = options_.nufft, .rung = options_.q_rung};
    std::vector<double> const w = objective_weights();
    if (options_.cache_folder.empty()) {
      kernel_ = std::make_shared<ToeplitzKernel<T> const>(context_, *planned_, dataset_.matrix, w, encoding);
    } else {
      kernel_ =
          cached_toeplitz_kernel<T>(context_, *planned_, dataset_.matrix, w, encoding, options_.cache_folder);
    }
  }
  return kernel_;
}

template <class T>
void FrameReconstructor<T>::cg(Frame const& frame, View<C const> maps, View<float const> reference,
                               View<std::complex<float>> image, std::vector<FrameReport>& reports) {
  Matrix const& matrix = dataset_.matrix;
  std::vector<double> const w = objective_weights();
  auto const F = encoding(maps);
  std::unique_ptr<LinearOperator<T>> data;
  if (options_.normal == NormalKind::toeplitz) {
    data = std::make_unique<ToeplitzNormal<T>>(toeplitz_kernel(), maps);
  } else {
    data = std::make_unique<WeightedNormal<T>>(*F, w);
  }
  auto const W = make_prior<T>(context_, matrix, options_, reference);

  double lambda_max = 0;
  if (options_.lambda > 0) {
    Phase const phase(context_, "largest eigenvalue");
    lambda_max = largest_eigenvalue(context_, *data, {.seed = options_.seed});
  }
  RegularizedNormal<T> const A(*data, *W, options_.lambda * lambda_max);

  // With maps all coils make one right-hand side; without, each coil is an image of its own.
  Array<C> d = prepared_samples(frame, WindowKind::none, {});
  std::int64_t const solves = dataset_.coils / F->coils();
  Array<C> b(matrix.shape()), x(matrix.shape());
  Array<T> sum_sq(matrix.shape());
  for (std::int64_t s = 0; s < solves && !context_.cancelled(); ++s) {
    View<C> const d_s(d.data() + s * planned_->size(), F->range());
    double const constant = weight_samples<T>(d_s, w);
    {
      Phase const phase(context_, "F^H d");
      F->adjoint(context_, d_s, b);
    }
    Phase const phase(context_, "solve");
    std::fill(x.begin(), x.end(), C(0));
    FrameReport report{.index = frame.index,
                       .coil = solves > 1 ? static_cast<int>(s) : -1,
                       .lambda_max = lambda_max,
                       .lambda_absolute = options_.lambda * lambda_max,
                       .cg = {}};
    report.cg = findrho::cg<T>(context_, A, b, x,
                               {.max_iterations = options_.iterations,
                                .tolerance = options_.tolerance,
                                .objective_constant = constant});
    reports.push_back(std::move(report));
    for (std::int64_t n = 0; n < x.size(); ++n) sum_sq[n] += std::norm(x[n]);
  }
  for (std::int64_t n = 0; n < x.size(); ++n) {
    image[n] = solves == 1 ? std::complex<float>(x[n])
                           : std::complex<float>(static_cast<float>(std::sqrt(sum_sq[n])));
  }
}

template void FrameReconstructor<float>::cg(Frame const&, View<C const>, View<float const>,
                                            View<std::complex<float>>, std::vector<FrameReport>&);
template void FrameReconstructor<double>::cg(Frame const&, View<C const>, View<float const>,
                                             View<std::complex<float>>, std::vector<FrameReport>&);

}  // namespace findrho
