// SPDX-License-Identifier: BSD-3-Clause
// The module's table "weigh": samples times their weights.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct CudaWeighTable {
  static constexpr char const* kTopic = "weigh";
  static constexpr int kVersion = 1;
  /// samples (coil, sample) *= weights (sample), real; device memory
  int (*weigh)(void* session, int double_precision, void* samples, void const* weights, long long count,
               long long coils, CudaFault*);
};

}  // namespace findrho
