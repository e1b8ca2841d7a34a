// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: Planes as a kernel, the ranks of a plane as a cluster of blocks.
#pragma once
#include <cooperative_groups.h>

#include "backend/cuda/line_pass.hpp"
#include "operator/cuda/plane_pass.hpp"

namespace findrho::device {

/// Some warps of a block, with a barrier of their own.
template <int Lanes>
struct GroupTeam {
  int group, lane;
  __device__ static constexpr int size() { return Lanes; }
  __device__ void sync() const { asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(Lanes) : "memory"); }
  template <class F>
  __device__ void each(int n, F f) const {
    __builtin_assume(lane >= 0 && lane < Lanes);
    int const whole = n / Lanes;
#pragma unroll 16
    for (int round = 0; round < whole; ++round) f(round * Lanes + lane);
    if (whole * Lanes + lane < n) f(whole * Lanes + lane);
  }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/// All ranks are there; what they wrote is not looked at.
inline __device__ void meet_ranks() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}
#endif

template <Start S, class Body>
__global__ void __launch_bounds__(Body::Shape::kLanes, 1) planes_kernel(Body const body) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using C = typename Body::C;
  using Shape = typename Body::Shape;
  extern __shared__ __align__(16) unsigned char planes_scratch[];
  C* const plane = reinterpret_cast<C*>(planes_scratch);
  auto const cluster = cooperative_groups::this_cluster();
  auto const plane_of = [&](int rank) { return cluster.map_shared_rank(plane, rank); };
  int const group = static_cast<int>(threadIdx.x) / Shape::kGroupLanes;
  GroupTeam<Shape::kGroupLanes> const team{group, static_cast<int>(threadIdx.x) % Shape::kGroupLanes};
  C* const work = plane + body.plane_elements() + group * Shape::kWork;
  auto const block = static_cast<Index>(blockIdx.x);
  wait_for_kernel_before<S>();
  meet_ranks();  // their shared memory is there from here on
  body.y_forward(team, block, group, work, plane_of);
  cluster.sync();
  body.multiply(team, block, group, work, plane);
  cluster.sync();
  body.y_inverse(team, block, group, work, plane_of);
  meet_ranks();  // and is not needed any more
#endif
}

template <Start S, class Body>
void launch_planes_body(cudaStream_t stream, Body const& body) {
  if (body.blocks() > std::numeric_limits<int>::max()) {
    throw ModuleFailure(CudaFault::bad_argument,
                        "a pass of " + std::to_string(body.blocks()) + " blocks is too large");
  }
  auto* const kernel = planes_kernel<S, Body>;
  auto const scratch = body.scratch_bytes();
  FINDRHO_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch)));
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {Body::Shape::kRanks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = {static_cast<unsigned>(body.blocks())};
  config.blockDim = {Body::Shape::kLanes};
  config.dynamicSmemBytes = scratch;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 1;
  set_start<S>(config);
  FINDRHO_CHECK(cudaLaunchKernelEx(&config, kernel, body));
}

}  // namespace findrho::device
