// SPDX-License-Identifier: BSD-3-Clause
#include "device_frame.hpp"

#include "findrho/operator/cuda_encoding.hpp"

namespace findrho {

template <class T>
DeviceFrame<T>::DeviceFrame(CudaSession const& session, Trajectory const& trajectory, Matrix const& matrix,
                            ReconOptions const& options)
    : session_(session),
      trajectory_(trajectory),
      matrix_(matrix),
      options_(options),
      k_(session, trajectory),
      b_(session, matrix.voxels()),
      x_(session, matrix.voxels()) {}

template <class T>
CudaNufft<T> const& DeviceFrame<T>::nufft() const {
  if (!nufft_) nufft_.emplace(session_, k_.view(), matrix_, CudaNufftOptions{.nufft = options_.nufft});
  return *nufft_;
}

template <class T>
void DeviceFrame<T>::use_maps(View<C const> maps) {
  std::int64_t const coils = maps.data == nullptr ? 1 : maps.shape.extent(Axis::coil);
  if (coils != coils_ || (maps.data != nullptr) != maps_.has_value()) {
    normal_.reset();  // it holds the place of the maps
    maps_.reset();
  }
  coils_ = coils;
  if (maps.data == nullptr) return;
  if (!maps_) maps_.emplace(session_, maps.size());
  maps_->upload(maps.data);
}

template <class T>
Array<std::complex<T>> DeviceFrame<T>::coil_images(View<C const> samples) const {
  std::int64_t const coils = samples.size() / trajectory_.size();
  CudaNufft<T> const& F = nufft();  // first: planning takes memory of its own
  CudaVector<C> const d(session_, samples.size()), images(session_, coils * matrix_.voxels());
  d.upload(samples.data);
  F.adjoint(d.data(), images.data(), coils);
  Array<C> result(matrix_.shape(coils));
  images.download(result.data());
  return result;
}

template <class T>
void DeviceFrame<T>::set_samples(View<C const> samples) {
  CudaNufft<T> const& F = nufft();
  CudaVector<C> const d(session_, samples.size());
  d.upload(samples.data);
  if (maps_) {
    F.adjoint_with_maps(d.data(), maps(), b_.data(), coils_);
  } else {
    F.adjoint(d.data(), b_.data(), 1);
  }
}

template <class T>
void DeviceFrame<T>::adjoint(View<C const> samples, View<C> image) {
  set_samples(samples);
  b_.download(image.data);
}

template <class T>
void DeviceFrame<T>::make_normal(std::vector<double> const& weights, View<C const> lags) {
  if (normal_) return;
  if (!weights.empty()) {
    weights_.emplace(session_, static_cast<std::int64_t>(weights.size()));
    std::vector<T> const w(weights.begin(), weights.end());
    weights_->upload(w.data());
  }
  T const* const w = weights_ ? weights_->data() : nullptr;
  if (options_.normal == NormalKind::nufft) {
    normal_ = std::make_unique<CudaWeightedNormal<T>>(session_, nufft(), coils_, maps(), w);
    return;
  }
  auto product = std::make_unique<CudaToeplitz<T>>(session_, matrix_, coils_, maps());
  if (lags.data != nullptr) {
    product->set_lags(lags);
  } else {
    Matrix const& grid = product->plan().grid;
    CudaVector<T> const spectrum(session_, grid.voxels());
    cuda_toeplitz_spectrum<T>(session_, k_.view(), w, matrix_, grid, 1 / static_cast<double>(grid.voxels()),
                              spectrum.data(), {.nufft = options_.nufft});
    product->set_spectrum(spectrum.data());
  }
  normal_ = std::move(product);
}

template <class T>
double DeviceFrame<T>::largest_eigenvalue(Context const& context) const {
  return cuda_largest_eigenvalue<T>(context, session_, *normal_, matrix_.voxels(), {.seed = options_.seed});
}

template <class T>
CudaPrior<T> DeviceFrame<T>::prior(Context const& context, View<float const> reference, double lambda) const {
  switch (options_.prior) {
    case PriorKind::identity:
      return CudaPrior<T>::identity(lambda);
    case PriorKind::differences:
      return CudaPrior<T>::of(FiniteDifferences<T>(matrix_), lambda);
    case PriorKind::edges:
      break;
  }
  EdgeWeightedDifferences<T> const W(context, matrix_, reference,
                                     EdgeOptions{.edge_scale = options_.edge_scale});
  return CudaPrior<T>::of(session_, W, lambda);
}

template <class T>
CgReport DeviceFrame<T>::solve(Context const& context, View<float const> reference, double lambda,
                               double objective_constant, View<C> x) {
  CudaPrior<T> const W = prior(context, reference, lambda);
  CudaCg<T> cg(session_, matrix_, *normal_, W,
               {.max_iterations = options_.iterations,
                .tolerance = options_.tolerance,
                .objective_constant = objective_constant});
  CgReport report = cg.solve(context, b_.data(), x_.data());
  x_.download(x.data);
  return report;
}

template class DeviceFrame<float>;
template class DeviceFrame<double>;

}  // namespace findrho
