// SPDX-License-Identifier: BSD-3-Clause
// The module's table "graph": a session's work recorded once and launched as a whole.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct CudaGraphTable {
  static constexpr char const* kTopic = "graph";
  static constexpr int kVersion = 1;
  /// From here on the session's calls are recorded and not run. Nothing may be allocated or waited for.
  int (*begin)(void* session, CudaFault*);
  int (*end)(void* session, void** graph, CudaFault*);
  /// After a call failed between the two.
  void (*abandon)(void* session);
  int (*launch)(void* session, void* graph, CudaFault*);
  void (*close)(void* graph);
};

}  // namespace findrho
