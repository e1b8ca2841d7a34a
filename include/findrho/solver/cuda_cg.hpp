// SPDX-License-Identifier: BSD-3-Clause
// cg() on a CUDA device: the same method, with the same residuals kept (those of large images in half precision).
// Iterations are recorded as one graph, scalars stay on the device, and the host looks at the residuals every few
// iterations while the next ones run.
#pragma once
#include <complex>
#include <memory>

#include "findrho/backend/cuda_graph.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/operator/cuda_operator.hpp"
#include "findrho/prior/cuda_prior.hpp"
#include "findrho/solver/cg.hpp"

namespace findrho {

template <class T>
class CudaCg {
 public:
  using C = std::complex<T>;
  /// Solves (A + lambda W^H W) x = b. A and prior must outlive this object.
  ///   read_every  iterations between two looks at residuals and cancellation
  /// Errors  bad_option, out_of_memory, device_fault
  CudaCg(CudaSession const& session, Matrix const& matrix, CudaOperator<T> const& A,
         CudaPrior<T> const& prior, CgOptions const& options = {}, int read_every = 5);
  ~CudaCg();
  CudaCg(CudaCg const&) = delete;
  CudaCg& operator=(CudaCg const&) = delete;

  /// From the start value 0. b and x in device memory; calls with the same two share a graph.
  /// Iteration events come in groups of read_every; a cancelled solve stops at the end of a group that has begun.
  CgReport solve(Context const& context, C const* b, C* x);
  std::int64_t bytes() const { return bytes_; }  // device memory of vectors and scalars

 private:
  void queue_step();
  /// Queues up to `count` steps; returns how many.
  int queue(int count);
  CgReport follow(Context const& context);

  CudaSession session_;
  CudaOperator<T> const& A_;
  double shift_;  // lambda, where W is 1
  CgOptions options_;
  int read_every_;
  void* solver_ = nullptr;
  C *p_ = nullptr, *Ap_ = nullptr;
  double* form_ = nullptr;  // of apply_with_form; null where another pass adds the prior
  std::int64_t bytes_ = 0;
  C const* b_ = nullptr;
  C* x_ = nullptr;
  std::unique_ptr<CudaGraph> graph_;  // read_every_ steps
};

/// Device memory that the vectors of a solve take.
template <class T>
std::int64_t cuda_cg_bytes(Matrix const& matrix, CgOptions const& options);

}  // namespace findrho
