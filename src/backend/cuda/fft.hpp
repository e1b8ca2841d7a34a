// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: cuFFT plans whose work area comes from the session's pool.
#pragma once
#include <cufft.h>

#include <memory>

#include "backend/cuda/session.hpp"

namespace findrho {

/// Transforms of boxes whose sizes are given along x, y and z.
template <class Index>
CudaFftRecord fft_record(int rank, Index const* grid, long long batch, bool double_precision) {
  CudaFftRecord record{
      .rank = rank, .size = {}, .batch = batch, .double_precision = double_precision ? 1 : 0};
  for (int d = 0; d < rank; ++d) record.size[d] = grid[rank - 1 - d];
  return record;
}

/// A cuFFT plan without work memory. Making one takes the host about a millisecond, so a session keeps some.
struct CufftHandle {
  cufftHandle plan = 0;
  std::size_t work_bytes = 0;
  void* work = nullptr;  // that it was last told to use
  ~CufftHandle();
};

class CufftPlan {
 public:
  CufftPlan(Session& session, CudaFftRecord const& record);
  /// What the plan's work area would take. Only the handle is made, and kept for the plan.
  static std::size_t work_bytes(Session& session, CudaFftRecord const& record);
  CufftPlan(CufftPlan const&) = delete;
  CufftPlan& operator=(CufftPlan const&) = delete;
  void run(void* data, int direction);  // CUFFT_FORWARD or CUFFT_INVERSE, in place

 private:
  std::shared_ptr<CufftHandle> handle_;
  bool double_precision_;
  Buffer<char> work_;
};

}  // namespace findrho
