// SPDX-License-Identifier: BSD-3-Clause
// The iterative solve of one frame: (F^H W_d F + lambda W^H W) rho = F^H W_d d. Read docs/math/equation.md first.
#include <memory>

#include "density.hpp"
#include "findrho/core/error.hpp"
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
    EncodingOptions const encoding{.transform = options_.q, .nufft = options_.nufft, .sums = fast_sums()};
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
auto FrameReconstructor<T>::exact_lags() -> View<C const> {
  if (options_.q == TransformKind::nufft || options_.normal != NormalKind::toeplitz) return {};
  if (lags_.empty()) {
    Phase const phase(context_, "Q");
    lags_ = findrho::exact_lags<T>(context_, *planned_, dataset_.matrix, objective_weights(), fast_sums());
  }
  return lags_;
}

/// The normal equations of one frame, on the processor.
template <class T>
class HostNormal {
 public:
  using C = std::complex<T>;
  HostNormal(Context const& context, ReconOptions const& options, Encoding<T> const& F,
             std::unique_ptr<LinearOperator<T>> data, std::unique_ptr<LinearOperator<T>> W)
      : context_(context),
        options_(options),
        F_(F),
        data_(std::move(data)),
        W_(std::move(W)),
        b_(F.domain()) {}

  double largest_eigenvalue() const {
    return findrho::largest_eigenvalue(context_, *data_, {.seed = options_.seed});
  }
  void set_samples(View<C const> d) { F_.adjoint(context_, d, b_); }
  CgReport solve(double lambda, double constant, View<C> x) const {
    RegularizedNormal<T> const A(*data_, *W_, lambda);
    std::fill(x.begin(), x.end(), C(0));
    return findrho::cg<T>(context_, A, b_, x,
                          {.max_iterations = options_.iterations,
                           .tolerance = options_.tolerance,
                           .objective_constant = constant});
  }

 private:
  Context const& context_;
  ReconOptions const& options_;
  Encoding<T> const& F_;
  std::unique_ptr<LinearOperator<T>> data_, W_;
  Array<C> b_;
};

template <class T>
void FrameReconstructor<T>::cg(Frame const& frame, View<C const> maps, View<float const> reference,
                               View<std::complex<float>> image, std::vector<FrameReport>& reports) {
  Matrix const& matrix = dataset_.matrix;
  std::vector<double> const w = objective_weights();
  DeviceFrame<T>* const device = device_frame(maps);
  // Exact sums come and go by way of the processor, wherever they are taken.
  bool const transforms_here = device == nullptr || options_.fhd == TransformKind::exact;
  std::unique_ptr<Encoding<T>> const F = transforms_here ? encoding(maps) : nullptr;
  std::unique_ptr<HostNormal<T>> host;
  if (device != nullptr) {
    View<C const> const lags = exact_lags();
    Phase const phase(context_, "normal equations");
    device->make_normal(w, lags);
  } else {
    std::unique_ptr<LinearOperator<T>> data;
    if (options_.normal == NormalKind::toeplitz) {
      data = std::make_unique<ToeplitzNormal<T>>(toeplitz_kernel(), maps);
    } else {
      data = std::make_unique<WeightedNormal<T>>(*F, w);
    }
    host = std::make_unique<HostNormal<T>>(context_, options_, *F, std::move(data),
                                           make_prior<T>(context_, matrix, options_, reference));
  }

  double lambda_max = 0;
  if (options_.lambda > 0) {
    Phase const phase(context_, "largest eigenvalue");
    lambda_max = device != nullptr ? device->largest_eigenvalue(context_) : host->largest_eigenvalue();
  }
  double const lambda = options_.lambda * lambda_max;

  // With maps all coils make one right-hand side; without, each coil is an image of its own.
  Array<C> d = prepared_samples(frame, WindowKind::none, {});
  std::int64_t const together = maps.data == nullptr ? 1 : dataset_.coils, solves = dataset_.coils / together;
  Shape const samples = sample_shape(together, planned_->size());
  Array<C> x(matrix.shape());
  Array<T> sum_sq(matrix.shape());
  for (std::int64_t s = 0; s < solves && !context_.cancelled(); ++s) {
    View<C const> d_s(d.data() + s * samples.size(), samples);
    double const constant = weight_samples<T>(View<C>(d.data() + s * samples.size(), samples), w);
    {
      Phase const phase(context_, "F^H d");
      if (host) {
        host->set_samples(d_s);
        if (options_.normal == NormalKind::toeplitz) F->release_work();  // the product has work of its own
      } else if (F) {
        F->adjoint(context_, d_s, x);
        device->set_right_side(x);
      } else {
        device->set_samples(d_s);
      }
    }
    Phase const phase(context_, "solve");
    FrameReport report{.index = frame.index,
                       .coil = solves > 1 ? static_cast<int>(s) : -1,
                       .lambda_max = lambda_max,
                       .lambda_absolute = lambda,
                       .cg = {}};
    report.cg =
        host ? host->solve(lambda, constant, x) : device->solve(context_, reference, lambda, constant, x);
    if (report.cg.reason == StopReason::breakdown && report.cg.iterations == 0) {
      throw Error(
          ErrorKind::bad_file,
          "cg cannot make its first step: F^H d or its image under F^H F is out of this precision's range",
          "scale the samples, or use --precision double");
    }
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
