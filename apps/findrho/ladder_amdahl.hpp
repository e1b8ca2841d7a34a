// SPDX-License-Identifier: BSD-3-Clause
// findrho ladder --amdahl: what is left of a whole reconstruction's time once its sums are fast.
#pragma once
#include "findrho/backend/cuda_session.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

inline constexpr int kAmdahlIterations = 30;

/// Seconds that the solve takes for samples on this trajectory: the largest eigenvalue, then kAmdahlIterations of CG with
/// the Toeplitz product, on the CPU in T.
/// Errors  out_of_memory (before anything is taken), cancelled
template <class T>
double time_solve(Context const& context, Trajectory const& trajectory, Matrix const& matrix);
/// The same on a CUDA device, everything in its memory; the second of two solves, for the first one loads kernels.
/// Errors  out_of_memory, device_fault, cancelled
template <class T>
double time_solve(Context const& context, CudaSession const& session, Trajectory const& trajectory,
                  Matrix const& matrix);

}  // namespace findrho
