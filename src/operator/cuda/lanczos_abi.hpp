// SPDX-License-Identifier: BSD-3-Clause
// The module's table "lanczos": the vector part of a Lanczos step.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct CudaLanczosTable {
  static constexpr char const* kTopic = "lanczos";
  static constexpr int kVersion = 1;
  /// alpha = Re<q, next>, next -= alpha q + beta_before before, beta = |next|; waits for the two numbers.
  /// Vectors of `size` complex elements in device memory.
  int (*step)(void* session, int double_precision, long long size, void const* q, void const* before,
              void* next, double beta_before, double* alpha, double* beta, CudaFault*);
  /// next *= factor
  int (*scale)(void* session, int double_precision, long long size, void* next, double factor, CudaFault*);
};

}  // namespace findrho
