// SPDX-License-Identifier: BSD-3-Clause
// lambda W^H W of a prior, for the solver on a CUDA device.
#pragma once
#include <optional>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/prior/edge_weighted_differences.hpp"
#include "findrho/prior/finite_differences.hpp"

namespace findrho {

template <class T>
struct CudaPrior {
  enum class Kind { none, identity, differences, edges };
  Kind kind = Kind::none;
  double factor = 0;                     // lambda, with the squared scale of differences
  std::optional<CudaVector<T>> weights;  // of edges

  static CudaPrior identity(double lambda) { return {lambda > 0 ? Kind::identity : Kind::none, lambda, {}}; }
  static CudaPrior of(FiniteDifferences<T> const& W, double lambda) {
    return {lambda > 0 ? Kind::differences : Kind::none, lambda * W.scale() * W.scale(), {}};
  }
  static CudaPrior of(CudaSession const& session, EdgeWeightedDifferences<T> const& W, double lambda) {
    CudaPrior prior{lambda > 0 ? Kind::edges : Kind::none, lambda, {}};
    prior.weights.emplace(session, W.weights().size());
    prior.weights->upload(W.weights().data);
    return prior;
  }
};

}  // namespace findrho
