// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: the few products that are taken from cuBLAS.
#pragma once
#include <cublas_v2.h>

#include "backend/cuda/session.hpp"

namespace findrho {

class Cublas {
 public:
  explicit Cublas(Session& session);
  ~Cublas();
  Cublas(Cublas const&) = delete;
  Cublas& operator=(Cublas const&) = delete;
  void gemm(CudaGemmRecord const& record);
  void transpose(float const* from, float* to, long long rows, long long columns);

 private:
  cublasHandle_t handle_ = nullptr;
};

}  // namespace findrho
