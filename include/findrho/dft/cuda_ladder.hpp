// SPDX-License-Identifier: BSD-3-Clause
// The ladder on a CUDA device: a sum is copied there once, then rung after rung runs on it.
#pragma once
#include "findrho/backend/cuda_session.hpp"
#include "findrho/dft/ladder.hpp"

namespace findrho {

/// How the launch that does the sums was compiled and laid out.
struct LaunchFigures {
  int registers = 0, local_bytes = 0, shared_bytes = 0;
  int blocks_per_multiprocessor = 0, warps_per_multiprocessor = 0, most_warps = 0;
  std::int64_t blocks = 0;    // of one launch
  std::int64_t launches = 0;  // of a whole run, Mu and packing included
  double occupancy() const { return most_warps > 0 ? double(warps_per_multiprocessor) / most_warps : 0; }
};

struct CudaRungRun {
  double seconds = 0;  // the median, Mu and packing included, copies between host and device not
  LaunchFigures figures;
};

/// Whether the device and the module have the rungs on tensor cores (Hopper's instructions).
bool has_tensor_rungs(CudaSession const& session);

template <class T>
class CudaSum {
 public:
  /// Errors  out_of_memory (before anything is copied), device_fault, not_built
  CudaSum(CudaSession const& session, ExactSum<T> const& sum);
  ~CudaSum();
  CudaSum(CudaSum const&) = delete;
  CudaSum& operator=(CudaSum const&) = delete;

  /// Errors  not_built (a rung or option that the device has not), bad_option (no grid for a rung that needs one),
  ///         device_fault
  CudaRungRun run(Rung rung, RungOptions const& options, SumSlice slice = {}, int repeats = 1);
  /// What the last run left.
  SumResult<T> result(SumSlice slice = {}) const;

 private:
  CudaSession session_;
  std::int64_t samples_, voxels_, coils_;
  bool on_grid_;
  void* sum_ = nullptr;
};

}  // namespace findrho
