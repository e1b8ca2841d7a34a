// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: passes of line transforms (line_steps.hpp) as kernels.
#pragma once
#include <limits>
#include <string>

#include "backend/cuda/check.hpp"
#include "backend/cuda/line_lengths.hpp"
#include "backend/cuda/line_steps.hpp"
#include "backend/cuda/start.hpp"

namespace findrho::device {

/// As launch_team's kernel, with the registers bounded so that enough blocks stay on a multiprocessor.
template <int Blocks, Start S, class Body>
__global__ void __launch_bounds__(kPassLanes, Blocks) pass_kernel(Body const body) {
  extern __shared__ __align__(16) unsigned char pass_scratch[];
  wait_for_kernel_before<S>();
  body(BlockTeam<kPassLanes>{}, static_cast<std::int64_t>(blockIdx.x), pass_scratch);
}

template <int Blocks, Start S, class Body>
void launch_body(cudaStream_t stream, Body const& body) {
  if (body.blocks() > std::numeric_limits<int>::max()) {
    throw ModuleFailure(CudaFault::bad_argument,
                        "a pass of " + std::to_string(body.blocks()) + " blocks is too large");
  }
  auto* const kernel = pass_kernel<Blocks, S, Body>;
  auto const scratch = static_cast<int>(body.scratch_bytes());
  FINDRHO_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, scratch));
  FINDRHO_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     cudaSharedmemCarveoutMaxShared));
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  config.gridDim = {static_cast<unsigned>(body.blocks())};
  config.blockDim = {kPassLanes};
  config.dynamicSmemBytes = static_cast<std::size_t>(scratch);
  config.stream = stream;
  config.attrs = &attribute;
  set_start<S>(config);
  FINDRHO_CHECK(cudaLaunchKernelEx(&config, kernel, body));
}

/// Launches the body that make(Factors) gives for this length, Blocks of it a multiprocessor; three at most where steps
/// take 20 points, which do not fit the registers of four.
template <int Blocks, Start S = Start::after, class Make, class List>
void launch_pass(cudaStream_t stream, int length, List lengths, Make const& make) {
  bool const found = with_factors(length, lengths, [&](auto factors) {
    constexpr int blocks = decltype(factors)::R1 > 16 && Blocks > 3 ? 3 : Blocks;
    launch_body<blocks, S>(stream, make(factors));
  });
  if (!found)
    throw ModuleFailure(CudaFault::not_supported, "there is no pass of length " + std::to_string(length));
}

}  // namespace findrho::device
