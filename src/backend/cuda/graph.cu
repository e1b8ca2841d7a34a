// SPDX-License-Identifier: BSD-3-Clause
// The topic "graph": stream capture.
#include "backend/cuda/graph_abi.hpp"
#include "backend/cuda/session.hpp"

namespace findrho {
namespace {

Session& as_session(void* session) {
  return *static_cast<Session*>(session);
}

int begin(void* session, CudaFault* fault) {
  return guarded(fault, [&] {
    FINDRHO_CHECK(cudaStreamBeginCapture(as_session(session).stream, cudaStreamCaptureModeThreadLocal));
  });
}
int end(void* session, void** graph, CudaFault* fault) {
  return guarded(fault, [&] {
    cudaGraph_t recorded = nullptr;
    FINDRHO_CHECK(cudaStreamEndCapture(as_session(session).stream, &recorded));
    cudaGraphExec_t ready = nullptr;
    cudaError_t const code = cudaGraphInstantiate(&ready, recorded, 0);
    cudaGraphDestroy(recorded);
    check(code, "cudaGraphInstantiate");
    *graph = ready;
  });
}
void abandon(void* session) {
  cudaGraph_t recorded = nullptr;
  cudaStreamEndCapture(as_session(session).stream, &recorded);
  if (recorded != nullptr) cudaGraphDestroy(recorded);
  cudaGetLastError();
}
int launch(void* session, void* graph, CudaFault* fault) {
  return guarded(fault, [&] {
    FINDRHO_CHECK(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), as_session(session).stream));
  });
}
void close(void* graph) {
  cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

constexpr CudaGraphTable kTable{begin, end, abandon, launch, close};

}  // namespace
}  // namespace findrho

FINDRHO_EXPORT void const* findrho_cuda_topic_graph(int version) {
  return version == findrho::CudaGraphTable::kVersion ? &findrho::kTable : nullptr;
}
