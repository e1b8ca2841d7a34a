// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: a team body (findrho/backend/team.hpp) as a CUDA kernel, one block per block index.
#pragma once
#include <limits>

#include "backend/cuda/check.hpp"
#include "findrho/backend/team.hpp"

namespace findrho {

template <int Lanes, class Body>
__global__ void __launch_bounds__(Lanes) team_kernel(Body const body) {
  extern __shared__ __align__(16) unsigned char team_scratch[];
  body(BlockTeam<Lanes>{}, static_cast<std::int64_t>(blockIdx.x), team_scratch);
}

template <int Lanes, class Body>
void launch_team(cudaStream_t stream, std::int64_t blocks, Body const& body) {
  if (blocks > std::numeric_limits<int>::max()) {
    throw ModuleFailure(CudaFault::bad_argument,
                        "a launch of " + std::to_string(blocks) + " blocks is too large");
  }
  constexpr std::size_t kWithoutAsking = 48 * 1024;
  std::size_t const scratch = body.scratch_bytes();
  if (scratch > kWithoutAsking) {
    FINDRHO_CHECK(cudaFuncSetAttribute(team_kernel<Lanes, Body>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(scratch)));
  }
  if (blocks == 0) return;
  team_kernel<Lanes><<<static_cast<unsigned>(blocks), Lanes, scratch, stream>>>(body);
  check_launch("a team body");
}

}  // namespace findrho
