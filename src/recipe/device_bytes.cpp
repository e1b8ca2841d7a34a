// SPDX-License-Identifier: BSD-3-Clause
// Device memory of a reconstruction: the arrays that DeviceFrame has at one time. What a plan takes depends on where the
// samples lie, so F and Q are planned, without their work memory, for the frame with the most samples.
#include <algorithm>

#include "coil_maps.hpp"
#include "estimate.hpp"
#include "findrho/core/lag_boxes.hpp"
#include "findrho/nufft/cuda_nufft.hpp"
#include "findrho/operator/cuda_toeplitz.hpp"
#include "findrho/solver/cuda_cg.hpp"

namespace findrho {
namespace {

/// Of one trajectory.
template <class T>
class DeviceBytes {
 public:
  DeviceBytes(Dataset const& dataset, ReconOptions const& options, Trajectory const& trajectory)
      : o_(options),
        n_(dataset.matrix),
        samples_(trajectory.size()),
        coils_(dataset.coils),
        together_(options.coils == CoilMode::sense ? coils_ : 1),
        k_(*options.cuda, trajectory),
        always_(samples_ * n_.dims() * std::int64_t{sizeof(double)} + 2 * image_) {}

  /// F^H of all coils, with their images or their maps.
  std::int64_t adjoint() const { return always_ + plan(coils_) + coils_ * (samples_ * kComplex + image_); }

  /// F^H of the coils that make one image. The operands of exact sums come from the processor each time.
  std::int64_t exact_adjoint() const { return fast_sum_bytes<T>(sums(), n_, samples_, together_).device; }

  std::int64_t maps() const { return coil_maps_bytes(*o_.cuda, k_.view(), n_, coils_); }

  std::int64_t cg() const {
    bool const exact = o_.fhd == TransformKind::exact, toeplitz = o_.normal == NormalKind::toeplitz,
               weighted = o_.density != DensityKind::automatic && o_.density != DensityKind::none;
    if (exact && !toeplitz) return exact_adjoint();
    std::int64_t const held = always_ + (o_.coils == CoilMode::sense ? coils_ * image_ : 0) +
                              (weighted ? samples_ * std::int64_t{sizeof(T)} : 0);
    std::int64_t const F = exact ? 0 : plan(together_), data = together_ * samples_ * kComplex,
                       right_side = exact ? exact_adjoint() : F + data,
                       solve = F + cuda_cg_bytes<T>(n_, {}) +
                               (o_.prior == PriorKind::edges ? n_.dims() * image_ / 2 : 0);
    if (!toeplitz) return held + data + std::max(right_side, solve);
    CudaToeplitzPlan const product = plan_cuda_toeplitz<T>(*o_.cuda, n_, together_);
    return held + product.bytes + std::max({making(product.grid), right_side, solve});
  }

 private:
  static constexpr std::int64_t kComplex = sizeof(std::complex<T>);

  FastSums sums() const { return {.accuracy = o_.nufft.accuracy, .cuda = o_.cuda}; }
  std::int64_t plan(std::int64_t coils) const {
    return CudaNufft<T>(*o_.cuda, k_.view(), n_, {.nufft = o_.nufft}).bytes(coils);
  }
  /// Q, on the way to the product's spectrum.
  std::int64_t making(Matrix const& grid) const {
    if (o_.q == TransformKind::nufft) {
      return grid.voxels() * std::int64_t{sizeof(T)} +
             cuda_toeplitz_spectrum_bytes<T>(*o_.cuda, k_.view(), n_, grid, {.nufft = o_.nufft});
    }
    return std::max((2 * grid.voxels() + doubled(n_).voxels()) * kComplex,
                    fast_sum_bytes<T>(sums(), half_doubled(n_), samples_, 1).device);
  }

  ReconOptions const& o_;
  Matrix const& n_;
  std::int64_t samples_, coils_, together_;
  std::int64_t const image_ = n_.voxels() * kComplex;
  CudaTrajectoryCopy k_;
  std::int64_t always_;  // k, b, x
};

template <class T>
std::int64_t bytes_of(Dataset const& dataset, ReconOptions const& o, bool maps_given) {
  if (o.method == Method::ifft) {  // and cuFFT's work area
    std::int64_t const cells = std::max(dataset.encoded.voxels(), dataset.matrix.voxels());
    return 2 * dataset.coils * cells * std::int64_t{sizeof(std::complex<T>)};
  }
  auto const frame =
      std::ranges::max_element(dataset.frames, {}, [](Frame const& f) { return f.trajectory->size(); });
  DeviceBytes<T> const bytes(dataset, o, *frame->trajectory);
  bool const exact = o.method == Method::adjoint && o.fhd == TransformKind::exact;
  std::int64_t const working = o.method == Method::cg ? bytes.cg()
                               : exact                ? bytes.exact_adjoint()
                                                      : bytes.adjoint();
  if (o.coils != CoilMode::sense || maps_given) return working;
  // Those of a second frame are estimated while the first one's arrays are kept.
  return dataset.frames.size() > 1 ? bytes.maps() + working : std::max(bytes.maps(), working);
}

}  // namespace

std::int64_t device_bytes(Dataset const& dataset, ReconOptions const& options, ReconInputs const& inputs) {
  if (!options.cuda) return 0;
  bool const given = inputs.maps.data != nullptr;
  return options.precision == Precision::single ? bytes_of<float>(dataset, options, given)
                                                : bytes_of<double>(dataset, options, given);
}

}  // namespace findrho
