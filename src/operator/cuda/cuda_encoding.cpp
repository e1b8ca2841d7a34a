// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/operator/cuda_encoding.hpp"

#include "backend/cuda/call.hpp"
#include "operator/cuda/weigh_abi.hpp"

namespace findrho {

template <class T>
CudaWeightedNormal<T>::CudaWeightedNormal(CudaSession const& session, CudaNufft<T> const& nufft,
                                          std::int64_t coils, C const* maps, T const* weights)
    : session_(session),
      nufft_(nufft),
      coils_(coils),
      maps_(maps),
      weights_(weights),
      samples_(session, coils * nufft.samples()) {
  nufft.reserve(coils);
}

template <class T>
void CudaWeightedNormal<T>::apply(C const* x, C* z) const {
  if (maps_ != nullptr) {
    nufft_.forward_with_maps(x, maps_, samples_.data(), coils_);
  } else {
    nufft_.forward(x, samples_.data(), 1);
  }
  if (weights_ != nullptr) {
    call(session_, session_.table<CudaWeighTable>().weigh, session_.handle(),
         sizeof(T) == sizeof(double) ? 1 : 0, static_cast<void*>(samples_.data()),
         static_cast<void const*>(weights_), static_cast<long long>(nufft_.samples()),
         static_cast<long long>(coils_));
  }
  if (maps_ != nullptr) {
    nufft_.adjoint_with_maps(samples_.data(), maps_, z, coils_);
  } else {
    nufft_.adjoint(samples_.data(), z, 1);
  }
}

template class CudaWeightedNormal<float>;
template class CudaWeightedNormal<double>;

}  // namespace findrho
