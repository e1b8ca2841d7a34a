// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: the rungs, compiled in several files since there are many. Each returns false for a rung or
// option that it has not.
#pragma once
#include "backend/cuda/session.hpp"
#include "dft/cuda/ladder_abi.hpp"
#include "dft/rungs/arrays.hpp"
#include "dft/separable_plan.hpp"
#include "findrho/dft/rung.hpp"

namespace findrho::ladder {

struct Launch {
  Session& session;
  Rung rung;
  RungOptions options;
  bool real_mu;
  CudaRungFigures& figures;
};

bool launch_plain(Launch const& launch, Arrays<float> const& a);
bool launch_plain(Launch const& launch, Arrays<double> const& a);
bool launch_coarse(Launch const& launch, Arrays<float> const& a);
bool launch_tuned_fhd(Launch const& launch, Arrays<float> const& a);
bool launch_tuned_q(Launch const& launch, Arrays<float> const& a);

/// Coils that share all positions. Their numbers lie `samples` or `voxels` apart, also where a slice is shorter.
struct CoilRows {
  std::int64_t coils, samples, voxels;
};
bool launch_separable(Launch const& launch, Arrays<float> const& a, CoilRows const& rows,
                      SeparablePlan const& plan, GridSide side);
bool separable_tensor_supported(int device);

}  // namespace findrho::ladder
