// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/operator/encoding.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "findrho/core/error.hpp"
#include "findrho/dft/exact_sum.hpp"
#include "findrho/operator/vector_ops.hpp"

namespace findrho {
namespace {

template <class C>
std::int64_t coils_of(View<C const> maps) {
  return maps.data == nullptr ? 1 : maps.shape.extent(Axis::coil);
}

/// Coils first..first+count-1 of an array whose slowest axis is the coil.
template <class C>
View<C> coil_block(View<C> all, std::int64_t first, std::int64_t count) {
  Shape const rest = all.shape.without_slowest();
  Shape const block = rest.rank() == 1 ? Shape{{Axis::coil, count}, rest[0]}
                                       : Shape{{Axis::coil, count}, rest[0], rest[1], rest[2]};
  return {all.data + first * rest.size(), block};
}

}  // namespace

template <class T>
Encoding<T>::Encoding(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                      View<C const> maps, EncodingOptions const& options)
    : LinearOperator<T>(matrix.shape(), sample_shape(coils_of<C>(maps), trajectory.size())),
      matrix_(matrix),
      maps_(maps),
      memory_bytes_(options.memory_bytes),
      sums_(options.sums) {
  if (maps.data != nullptr) require_shape(maps.shape, matrix.shape(coils()), "coil maps");
  if (options.transform == TransformKind::nufft) {
    nufft_ = std::make_shared<Nufft<T> const>(context, trajectory, matrix, options.nufft);
  } else {
    trajectory_ = std::make_unique<Trajectory const>(trajectory);
  }
}

template <class T>
Encoding<T>::Encoding(std::shared_ptr<Nufft<T> const> plan, View<C const> maps, std::int64_t memory_bytes)
    : LinearOperator<T>(plan->matrix().shape(), sample_shape(coils_of<C>(maps), plan->samples())),
      matrix_(plan->matrix()),
      maps_(maps),
      memory_bytes_(memory_bytes),
      nufft_(std::move(plan)) {
  if (maps.data != nullptr) require_shape(maps.shape, matrix_.shape(coils()), "coil maps");
}

template <class T>
Encoding<T>::~Encoding() = default;

template <class T>
void Encoding<T>::transform(Context const& context, View<C const> images, View<C> samples,
                            Write write) const {
  if (nufft_) {
    nufft_->forward(context, images, samples, write);
  } else if (sums_ && write == Write::replace) {
    fast_forward<T>(context, *sums_, *trajectory_, images, samples);
  } else {
    exact_forward<T>(context, *trajectory_, images, samples, write);
  }
}

template <class T>
void Encoding<T>::transform_adjoint(Context const& context, View<C const> samples, View<C> images,
                                    Write write) const {
  if (nufft_) {
    nufft_->adjoint(context, samples, images, write);
  } else if (sums_ && write == Write::replace) {
    fast_adjoint<T>(context, *sums_, *trajectory_, samples, images);
  } else {
    exact_adjoint<T>(context, *trajectory_, samples, images, write);
  }
}

template <class T>
void Encoding<T>::release_work() const {
  coil_images_ = Array<C>();
  if (nufft_) nufft_->release_work();
}

// Blocks of equal size, as few as the memory allows.
template <class T>
std::int64_t Encoding<T>::coils_per_block() const {
  std::int64_t const image = matrix_.voxels() * static_cast<std::int64_t>(sizeof(C));
  auto const bytes = [&](std::int64_t n) { return n * image + (nufft_ ? nufft_->bytes(n) : 0); };
  for (std::int64_t blocks = 1; blocks < coils(); ++blocks) {
    std::int64_t const size = (coils() + blocks - 1) / blocks;
    if (bytes(size) <= memory_bytes_) return size;
  }
  return 1;
}

template <class T>
void Encoding<T>::do_forward(Context const& context, View<C const> x, View<C> y, Write write) const {
  if (maps_.data == nullptr) {
    transform(context, {x.data, matrix_.shape(1)}, y, write);
    return;
  }
  if (coil_images_.empty()) coil_images_ = Array<C>(matrix_.shape(coils_per_block()));
  std::int64_t const per_block = coil_images_.shape().extent(Axis::coil), voxels = matrix_.voxels();
  for (std::int64_t first = 0; first < coils(); first += per_block) {
    std::int64_t const count = std::min(per_block, coils() - first);
    for_blocks(context, voxels, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = 0; c < count; ++c) {
        C const* const map = maps_.data + (first + c) * voxels;
        C* const image = coil_images_.data() + c * voxels;
        for (std::int64_t n = begin; n < end; ++n) image[n] = times(x[n], map[n]);
      }
    });
    transform(context, coil_block<C>(coil_images_, 0, count), coil_block(y, first, count), write);
  }
}

template <class T>
void Encoding<T>::do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const {
  if (maps_.data == nullptr) {
    transform_adjoint(context, y, {x.data, matrix_.shape(1)}, write);
    return;
  }
  if (coil_images_.empty()) coil_images_ = Array<C>(matrix_.shape(coils_per_block()));
  std::int64_t const per_block = coil_images_.shape().extent(Axis::coil), voxels = matrix_.voxels();
  for (std::int64_t first = 0; first < coils(); first += per_block) {
    std::int64_t const count = std::min(per_block, coils() - first);
    transform_adjoint(context, coil_block(y, first, count), coil_block<C>(coil_images_, 0, count),
                      Write::replace);
    bool const replace = first == 0 && write == Write::replace;
    for_blocks(context, voxels, [&](std::int64_t begin, std::int64_t end) {
      if (replace) std::fill(x.data + begin, x.data + end, C{});
      for (std::int64_t c = 0; c < count; ++c) {
        C const* const map = maps_.data + (first + c) * voxels;
        C const* const image = coil_images_.data() + c * voxels;
        for (std::int64_t n = begin; n < end; ++n) x[n] += times_conj(image[n], map[n]);
      }
    });
  }
}

template <class T>
WeightedNormal<T>::WeightedNormal(LinearOperator<T> const& F, std::span<double const> weights)
    : LinearOperator<T>(F.domain(), F.domain()), F_(F) {
  Shape const& range = F.range();
  require_shape(range, sample_shape(range.extent(Axis::coil), range.extent(Axis::sample)), "range of F");
  if (weights.empty()) return;
  if (static_cast<std::int64_t>(weights.size()) != range.extent(Axis::sample)) {
    throw Error(ErrorKind::bad_shape, std::to_string(weights.size()) + " weights for " +
                                          std::to_string(range.extent(Axis::sample)) + " samples");
  }
  weights_ = Array<T>(Shape{{Axis::sample, range.extent(Axis::sample)}});
  std::transform(weights.begin(), weights.end(), weights_.begin(),
                 [](double w) { return static_cast<T>(w); });
}

template <class T>
void WeightedNormal<T>::do_forward(Context const& context, View<C const> x, View<C> z, Write write) const {
  if (weights_.empty()) {
    F_.normal(context, x, z, write);
    return;
  }
  if (samples_.empty()) samples_ = Array<C>(F_.range());
  F_.forward(context, x, samples_);
  for_blocks(context, weights_.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = 0; c < F_.range().extent(Axis::coil); ++c) {
      C* const coil = samples_.data() + c * weights_.size();
      for (std::int64_t m = begin; m < end; ++m) coil[m] *= weights_[m];
    }
  });
  F_.adjoint(context, samples_, z, write);
}

template <class T>
void WeightedNormal<T>::do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const {
  do_forward(context, y, x, write);
}

template class Encoding<float>;
template class Encoding<double>;
template class WeightedNormal<float>;
template class WeightedNormal<double>;

}  // namespace findrho
