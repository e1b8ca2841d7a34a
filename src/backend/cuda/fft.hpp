// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: cuFFT plans whose work area comes from the session's pool.
#pragma once
#include <cufft.h>

#include <optional>

#include "backend/cuda/session.hpp"

namespace findrho {

class CufftPlan {
 public:
  CufftPlan(Session& session, CudaFftRecord const& record);
  ~CufftPlan();
  CufftPlan(CufftPlan const&) = delete;
  CufftPlan& operator=(CufftPlan const&) = delete;
  void run(void* data, int direction);  // CUFFT_FORWARD or CUFFT_INVERSE, in place

 private:
  cufftHandle plan_ = 0;
  bool double_precision_;
  std::optional<Buffer<char>> work_;
};

}  // namespace findrho
