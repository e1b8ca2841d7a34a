// SPDX-License-Identifier: BSD-3-Clause
// F^H diag(w) F on a CUDA device by two NUFFTs.
#pragma once
#include "findrho/nufft/cuda_nufft.hpp"
#include "findrho/operator/cuda_operator.hpp"

namespace findrho {

/// z = sum_c conj(S_c) F^H diag(w) F S_c x, as WeightedNormal of an Encoding.
template <class T>
class CudaWeightedNormal final : public CudaOperator<T> {
 public:
  using typename CudaOperator<T>::C;
  /// maps: (coil, z, y, x), or null: one coil, S = 1; weights: one a sample, or null: 1; both in device memory. The plan,
  /// maps and weights must outlive the operator.
  CudaWeightedNormal(CudaSession const& session, CudaNufft<T> const& nufft, std::int64_t coils, C const* maps,
                     T const* weights);
  void apply(C const* x, C* z) const override;

 private:
  CudaSession session_;
  CudaNufft<T> const& nufft_;
  std::int64_t coils_;
  C const* maps_;
  T const* weights_;
  CudaVector<C> samples_;
};

}  // namespace findrho
