// SPDX-License-Identifier: BSD-3-Clause
// The module's table "cg": the vectors and scalars of conjugate gradients on the device. The program queues A p and a
// step, turn by turn; after the stop, steps do nothing.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct CudaCgRecord {
  int double_precision;
  long long n[3];  // x, y, z
  int max_iterations, kept_residuals;
  int half_kept;  // 1: residuals are kept in half precision; single precision only
  double tolerance, objective_constant;
  int prior;            // device::PriorTermKind
  double prior_factor;  // lambda, with the squared scale of differences
  void const* weights;  // edges: (dim, z, y, x) in device memory
  int form_parts;       // not 0: the product adds the prior and leaves <p, A p> in so many parts
};

struct CudaCgVectors {
  void *p, *Ap;
  double* form;     // where the parts of <p, A p> go
  long long bytes;  // device memory of all vectors
};

struct CudaCgState {
  enum Reason : int { running = -1, converged, max_iterations, breakdown };  // as StopReason
  int iterations, reason;
};

struct CudaCgTable {
  static constexpr char const* kTopic = "cg";
  static constexpr int kVersion = 3;
  int (*open)(void* session, CudaCgRecord const*, void** solver, CudaCgVectors*, CudaFault*);
  void (*close)(void* solver);
  /// x = 0, r = p = b; b and x in device memory, kept until the end of the solve.
  int (*start)(void* solver, void const* b, void* x, CudaFault*);
  /// Behind a product Ap = A_data p: adds the prior (unless the product did), takes the step and makes the next p.
  int (*step)(void* solver, CudaFault*);
  /// Queues a copy of state and histories to pinned memory, slot 0 or 1.
  int (*post)(void* solver, int slot, CudaFault*);
  /// Waits for a posted copy. residual and objective have max_iterations elements.
  int (*wait)(void* solver, int slot, CudaCgState*, double const** residual, double const** objective,
              CudaFault*);
};

}  // namespace findrho
