// SPDX-License-Identifier: BSD-3-Clause
// A session's work recorded once and launched as a whole: for loops whose kernels are shorter than their launches.
#pragma once
#include <functional>

#include "findrho/backend/cuda_session.hpp"

namespace findrho {

class CudaGraph {
 public:
  /// Records what `work` queues on the session; nothing of it runs yet. `work` may neither allocate nor wait.
  /// Errors  device_fault, and those of work
  CudaGraph(CudaSession const& session, std::function<void()> const& work);
  ~CudaGraph();
  CudaGraph(CudaGraph const&) = delete;
  CudaGraph& operator=(CudaGraph const&) = delete;
  void launch() const;

 private:
  CudaSession session_;
  void* graph_ = nullptr;
};

}  // namespace findrho
