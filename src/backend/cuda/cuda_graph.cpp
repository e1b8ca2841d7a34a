// SPDX-License-Identifier: BSD-3-Clause
// The program's side of the module's topic "graph".
#include "findrho/backend/cuda_graph.hpp"

#include "backend/cuda/call.hpp"
#include "backend/cuda/graph_abi.hpp"

namespace findrho {

CudaGraph::CudaGraph(CudaSession const& session, std::function<void()> const& work) : session_(session) {
  auto const& table = session.table<CudaGraphTable>();
  call(session, table.begin, session.handle());
  try {
    work();
  } catch (...) {
    table.abandon(session.handle());
    throw;
  }
  call(session, table.end, session.handle(), &graph_);
}
CudaGraph::~CudaGraph() {
  if (graph_ != nullptr) session_.table<CudaGraphTable>().close(graph_);
}
void CudaGraph::launch() const {
  call(session_, session_.table<CudaGraphTable>().launch, session_.handle(), graph_);
}

}  // namespace findrho
