// SPDX-License-Identifier: BSD-3-Clause
#include "frame_recon.hpp"

#include <cmath>

#include "coil_maps.hpp"
#include "combine.hpp"
#include "density.hpp"
#include "findrho/backend/fft.hpp"
#include "findrho/operator/encoding.hpp"
#include "sample_factor.hpp"

namespace findrho {

template <class T>
FrameReconstructor<T>::FrameReconstructor(Context const& context, Dataset const& dataset,
                                          ReconOptions const& options)
    : context_(context), dataset_(dataset), options_(options) {
  bool const exact = options.fhd == TransformKind::exact || options.q == TransformKind::exact;
  if (exact) context.note("exact sums: " + description<T>(fast_sums()));
}

template <class T>
void FrameReconstructor<T>::plan_for(Frame const& frame) {
  bool const own_weights =
      !frame.density.empty();  // weights of the file belong to the frame, not the trajectory
  if (planned_ != frame.trajectory || own_weights) {
    density_.clear();
    nufft_.reset();
    kernel_.reset();
    lags_ = {};
    device_.reset();
  }
  planned_ = frame.trajectory;
  frame_ = &frame;
}

template <class T>
std::vector<double> const& FrameReconstructor<T>::gridding_density() {
  if (density_.empty()) {
    Phase const phase(context_, "density");
    density_ = density_weights(context_, *frame_, dataset_.matrix, options_.density, options_.cuda);
    if (density_.empty())
      density_.assign(static_cast<std::size_t>(planned_->size()), 1.0);  // none was asked for
  }
  return density_;
}

template <class T>
std::vector<double> FrameReconstructor<T>::objective_weights() {
  bool const asked = options_.density != DensityKind::automatic && options_.density != DensityKind::none;
  return asked ? gridding_density() : std::vector<double>{};
}

template <class T>
std::shared_ptr<Nufft<T> const> FrameReconstructor<T>::nufft() {
  if (!nufft_) {
    Phase const phase(context_, "plan");
    nufft_ = std::make_shared<Nufft<T> const>(context_, *planned_, dataset_.matrix, options_.nufft);
    context_.note("NUFFT: " + nufft_->description());
  }
  return nufft_;
}

template <class T>
DeviceFrame<T>* FrameReconstructor<T>::device_frame(View<C const> maps) {
  bool const exact_normal = options_.method == Method::cg && options_.normal == NormalKind::nufft &&
                            options_.fhd == TransformKind::exact;
  if (!options_.cuda || exact_normal) return nullptr;
  if (!device_) {
    Phase const phase(context_, "plan");
    device_ = std::make_unique<DeviceFrame<T>>(*options_.cuda, *planned_, dataset_.matrix, options_);
  }
  device_->use_maps(maps);
  return device_.get();
}

template <class T>
void FrameReconstructor<T>::inverse_fft(Matrix const& grid, Array<C>& work) const {
  std::int64_t const coils = work.size() / grid.voxels();
  if (!options_.cuda) {
    Fft<T>(grid, coils).inverse(context_, work.data());
    return;
  }
  CudaVector<C> const there(*options_.cuda, work.size());
  there.upload(work.data());
  CudaFft<T>(*options_.cuda, {grid.z, grid.y, grid.x}, coils).inverse(there.data());
  there.download(work.data());
}

template <class T>
auto FrameReconstructor<T>::prepared_samples(Frame const& frame, WindowKind window,
                                             std::vector<double> const& density) const -> Array<C> {
  SampleFactor const factor(dataset_.matrix, frame.geometry, options_, window);
  std::int64_t const count = frame.trajectory->size();
  Array<C> result(frame.samples.shape());
  std::int64_t const coils = result.size() / count;
  for (std::int64_t m = 0; m < count; ++m) {
    std::complex<double> f = factor.trivial() ? 1.0 : factor(*frame.trajectory, m);
    if (!density.empty()) f *= density[static_cast<std::size_t>(m)];
    for (std::int64_t c = 0; c < coils; ++c) {
      result[c * count + m] = C(std::complex<double>(frame.samples[c * count + m]) * f);
    }
  }
  return result;
}

template <class T>
auto FrameReconstructor<T>::ifft(Frame const& frame) const -> Array<C> {
  Phase const phase(context_, "inverse FFT");
  Matrix const& image = dataset_.matrix;
  auto const& ratio = dataset_.encoded_to_image;
  auto const grid_size = [&](int d) {
    return std::max<std::int64_t>(
        1, std::llround(static_cast<double>(image[d]) * ratio[static_cast<std::size_t>(d)]));
  };
  // Same voxel size as the image over the FOV that was encoded: zero-filled or cut k-space, then a crop of the FOV.
  Matrix const grid{grid_size(0), grid_size(1), grid_size(2)};
  std::int64_t const coils = dataset_.coils;
  Array<C> work(grid.shape(coils));
  Array<C> const samples = prepared_samples(frame, options_.window, {});
  Trajectory const& k = *frame.trajectory;
  for (std::int64_t m = 0; m < k.size(); ++m) {
    std::int64_t cell = 0;
    bool inside = true;
    for (int d = 2; d >= 0; --d) {
      std::int64_t const n = grid[d];
      std::int64_t const index =
          d < k.dims ? std::llround(k[d][static_cast<std::size_t>(m)] * ratio[static_cast<std::size_t>(d)])
                     : 0;
      inside = inside && index >= -(n / 2) && index < n - n / 2;
      cell = cell * n + (index + n) % n;
    }
    if (!inside) continue;
    for (std::int64_t c = 0; c < coils; ++c) work[c * grid.voxels() + cell] = samples[c * k.size() + m];
  }
  inverse_fft(grid, work);

  Array<C> images(image.shape(coils));
  T const scale = T(1) / static_cast<T>(grid.voxels());
  auto const cell_of = [&](int d, std::int64_t n) {  // voxel n lies n - floor(N/2) cells from the origin
    std::int64_t const offset = n - image[d] / 2;
    return ((offset % grid[d]) + grid[d]) % grid[d];
  };
  for (std::int64_t c = 0, i = 0; c < coils; ++c) {
    for (std::int64_t z = 0; z < image.z; ++z) {
      for (std::int64_t y = 0; y < image.y; ++y) {
        C const* row = work.data() + ((c * grid.z + cell_of(2, z)) * grid.y + cell_of(1, y)) * grid.x;
        for (std::int64_t x = 0; x < image.x; ++x) images[i++] = scale * row[cell_of(0, x)];
      }
    }
  }
  return images;
}

template <class T>
auto FrameReconstructor<T>::gridding(Frame const& frame) -> Array<C> {
  Array<C> const samples = prepared_samples(frame, options_.window, gridding_density());
  if (DeviceFrame<T>* const device = device_frame({})) {
    Phase const phase(context_, "gridding");
    return device->coil_images(samples);
  }
  auto const plan = nufft();
  Phase const phase(context_, "gridding");
  Array<C> images(dataset_.matrix.shape(dataset_.coils));
  plan->adjoint(context_, samples, images);
  return images;
}

template <class T>
std::unique_ptr<Encoding<T>> FrameReconstructor<T>::encoding(View<C const> maps) {
  if (options_.fhd == TransformKind::nufft) return std::make_unique<Encoding<T>>(nufft(), maps);
  return std::make_unique<Encoding<T>>(
      context_, *planned_, dataset_.matrix, maps,
      EncodingOptions{.transform = TransformKind::exact, .sums = fast_sums()});
}

template <class T>
void FrameReconstructor<T>::adjoint(Frame const& frame, View<C const> maps, View<std::complex<float>> image) {
  Array<C> const samples = prepared_samples(frame, WindowKind::none, objective_weights());
  if (options_.fhd == TransformKind::nufft) {
    if (DeviceFrame<T>* const device = device_frame(maps)) {
      Phase const phase(context_, "F^H d");
      Array<C> sum(dataset_.matrix.shape(1));
      if (maps.data != nullptr) device->adjoint(samples, slab(sum.view(), 0));
      root_sum_of_squares<T>(context_, maps.data != nullptr ? std::move(sum) : device->coil_images(samples),
                             image);
      return;
    }
  }
  auto const F = encoding(maps);
  Phase const phase(context_, "F^H d");
  Array<C> images(dataset_.matrix.shape(dataset_.coils / F->coils()));
  for (std::int64_t i = 0; i < images.shape().extent(Axis::coil); ++i) {
    F->adjoint(context_, View<C const>(samples.data() + i * F->range().size(), F->range()),
               slab(images.view(), i));
  }
  root_sum_of_squares<T>(context_, images, image);
}

template <class T>
void FrameReconstructor<T>::reconstruct(Frame const& frame, View<std::complex<float> const> maps,
                                        View<float const> reference, View<std::complex<float>> image,
                                        std::vector<FrameReport>& reports) {
  plan_for(frame);
  Array<C> sensitivities;
  if (options_.coils == CoilMode::sense) {
    if (maps.data != nullptr) {
      sensitivities = convert<C>(maps);
    } else {
      std::vector<double> const& density = gridding_density();
      Phase const phase(context_, "sensitivity maps");
      sensitivities =
          convert<C>(estimate_coil_maps(context_, *frame.trajectory, frame.samples, density, dataset_.matrix,
                                        options_.calibration_radius, options_.cuda)
                         .view());
    }
  }
  switch (options_.method) {
    case Method::automatic:
    case Method::cg:
      cg(frame, sensitivities.view(), reference, image, reports);
      return;
    case Method::adjoint:
      adjoint(frame, sensitivities.view(), image);
      return;
    case Method::ifft:
    case Method::gridding:
      break;
  }
  Array<C> const coil_images = options_.method == Method::ifft ? ifft(frame) : gridding(frame);
  if (sensitivities.empty()) {
    root_sum_of_squares<T>(context_, coil_images, image);
  } else {
    matched_combination<T>(context_, coil_images, sensitivities, image);
  }
}

template class FrameReconstructor<float>;
template class FrameReconstructor<double>;

}  // namespace findrho
