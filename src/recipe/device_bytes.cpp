// SPDX-License-Identifier: BSD-3-Clause
// Device memory of a reconstruction, before any is taken.
#include <algorithm>

#include "estimate.hpp"
#include "findrho/core/lag_boxes.hpp"
#include "findrho/nufft/nufft.hpp"
#include "findrho/operator/cuda_toeplitz.hpp"
#include "findrho/solver/cuda_cg.hpp"

namespace findrho {
namespace {

template <class T>
std::int64_t bytes_of(Dataset const& dataset, ReconOptions const& o) {
  constexpr std::int64_t kComplex = sizeof(std::complex<T>);
  Matrix const& n = dataset.matrix;
  std::int64_t samples = 0;
  for (Frame const& frame : dataset.frames) samples = std::max(samples, frame.trajectory->size());
  std::int64_t const coils = dataset.coils, together = o.coils == CoilMode::sense ? coils : 1;
  if (o.method == Method::ifft) {
    Matrix const& e = dataset.encoded;
    return 2 * coils * std::max(e.voxels(), n.voxels()) * kComplex;  // and cuFFT's work area
  }
  std::int64_t const k = samples * n.dims() * std::int64_t{sizeof(double)};
  std::int64_t const batch = o.method == Method::gridding ? coils : together;
  // The device's plan keeps the same grids and sorted samples as the processor's.
  std::int64_t const nufft = nufft_bytes<T>(samples, n, batch, 1, o.nufft);
  std::int64_t held = k + nufft + (2 + (together > 1 ? together : 0)) * n.voxels() * kComplex;
  FastSums const sums{.accuracy = o.nufft.accuracy, .cuda = o.cuda};
  std::int64_t const data = o.fhd == TransformKind::exact ? fast_sum_bytes<T>(sums, n, samples, batch).device
                                                          : batch * samples * kComplex;
  if (o.method != Method::cg) return held + data + batch * n.voxels() * kComplex;
  std::int64_t const vectors =
      cuda_cg_bytes<T>(n, {}) +
      (o.prior == PriorKind::edges ? n.dims() * n.voxels() * std::int64_t{sizeof(T)} : 0);
  if (o.normal == NormalKind::nufft) return held + data + vectors + data;
  CudaToeplitzPlan const product = plan_cuda_toeplitz<T>(*o.cuda, n, together);
  Matrix const half = half_doubled(n);
  std::int64_t const spectrum = product.grid.voxels() * std::int64_t{sizeof(T)};
  std::int64_t const making =
      o.q == TransformKind::exact
          ? std::max(2 * product.grid.voxels() * kComplex + doubled(n).voxels() * kComplex,
                     fast_sum_bytes<T>(sums, half, samples, 1).device)
          : nufft_bytes<T>(samples, half, 1, 1, o.nufft) + half.voxels() * kComplex +
                2 * product.grid.voxels() * kComplex;
  return held + product.bytes + std::max(data + vectors, spectrum + making);
}

}  // namespace

std::int64_t device_bytes(Dataset const& dataset, ReconOptions const& options) {
  if (!options.cuda) return 0;
  return options.precision == Precision::single ? bytes_of<float>(dataset, options)
                                                : bytes_of<double>(dataset, options);
}

}  // namespace findrho
