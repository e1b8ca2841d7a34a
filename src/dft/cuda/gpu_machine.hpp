// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: where a rung's launches go on the device. Every .cu file that includes this has a constant bank
// of its own.
#pragma once
#include <limits>

#include "backend/cuda/session.hpp"
#include "dft/cuda/ladder_abi.hpp"
#include "dft/rungs/arrays.hpp"

namespace findrho::ladder {
namespace {

__constant__ __align__(16) unsigned char constant_bank[kConstantBytes];

struct DeviceConstant {
  template <class V>
  FINDRHO_HD V at([[maybe_unused]] unsigned offset, [[maybe_unused]] int i) const {
#if defined(__CUDA_ARCH__)
    return reinterpret_cast<V const*>(constant_bank + offset)[i];
#else
    return {};  // the bank exists on the device only
#endif
  }
};

/// A block whose size is chosen at run time.
struct GridTeam {
  __device__ static int size() { return static_cast<int>(blockDim.x); }
  __device__ void sync() const { __syncthreads(); }
  template <class F>
  __device__ void each(int n, F f) const {
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) f(i);
  }
  template <class T>
  __device__ void add(T& to, T value) const {
    atomicAdd(&to, value);
  }
};

template <int MaxBlock, class Body>
__global__ void __launch_bounds__(MaxBlock) rung_kernel(Body const body, std::int64_t first_block) {
  extern __shared__ __align__(16) unsigned char rung_scratch[];
  body(GridTeam{}, first_block + static_cast<std::int64_t>(blockIdx.x), rung_scratch);
}

template <class Body>
constexpr int max_block() {
  if constexpr (requires { Body::kMaxBlock; }) {
    return Body::kMaxBlock;
  } else {
    return 1024;
  }
}

/// Counts what it launches; the figures are of the last launch, but for bodies that only tidy up after it.
class GpuMachine {
 public:
  using Constant = DeviceConstant;
  GpuMachine(Session& session, CudaRungFigures& figures) : session_(session), figures_(figures) {
    figures_.launches = 0;
  }

  void to_constant(std::size_t offset, void const* from, std::size_t bytes) {
    FINDRHO_CHECK(cudaMemcpyToSymbolAsync(constant_bank, from, bytes, offset, cudaMemcpyDeviceToDevice,
                                          session_.stream));
  }
  DeviceConstant constant() const { return {}; }
  /// Blocks of a size that run at a time, if registers and shared memory allow all threads.
  std::int64_t slots(int block_size) const {
    int const threads = session_.attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    return std::int64_t{session_.attribute(cudaDevAttrMultiProcessorCount)} *
           std::max(1, threads / block_size);
  }

  template <class Body>
  void launch(Body const& body, std::int64_t blocks, int block_size) {
    constexpr int kMost = max_block<Body>();
    auto* const kernel = rung_kernel<kMost, Body>;
    if (block_size > kMost) {
      throw ModuleFailure(CudaFault::not_supported, "blocks of " + std::to_string(block_size) +
                                                        " threads are too large for this rung; at most " +
                                                        std::to_string(kMost));
    }
    std::size_t const scratch = body.scratch_bytes();
    constexpr std::size_t kWithoutAsking = 48 * 1024;
    if (scratch > kWithoutAsking) {
      FINDRHO_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(scratch)));
    }
    constexpr bool kDescribed = !requires {
      Body::kAfter;
    };
    if (kDescribed && described_ != reinterpret_cast<void const*>(kernel))
      describe(kernel, block_size, scratch);
    // A grid has at most 2^31 - 1 blocks along x: more go into several launches.
    constexpr std::int64_t kMostBlocks = std::numeric_limits<int>::max();
    for (std::int64_t first = 0; first < blocks; first += kMostBlocks) {
      std::int64_t const count = blocks - first < kMostBlocks ? blocks - first : kMostBlocks;
      kernel<<<static_cast<unsigned>(count), block_size, scratch, session_.stream>>>(body, first);
      check_launch("a rung");
      if (kDescribed) figures_.blocks = count;
      ++figures_.launches;
    }
  }

 private:
  template <class Kernel>
  void describe(Kernel* kernel, int block_size, std::size_t scratch) {
    cudaFuncAttributes attributes{};
    FINDRHO_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    int blocks = 0, threads = 0;
    FINDRHO_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block_size, scratch));
    FINDRHO_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, session_.device));
    figures_.registers = attributes.numRegs;
    figures_.local_bytes = static_cast<int>(attributes.localSizeBytes);
    figures_.shared_bytes = static_cast<int>(attributes.sharedSizeBytes + scratch);
    figures_.constant_bytes = static_cast<int>(attributes.constSizeBytes);
    figures_.blocks_per_multiprocessor = blocks;
    figures_.warps_per_multiprocessor = blocks * ((block_size + 31) / 32);
    figures_.most_warps = threads / 32;
    described_ = reinterpret_cast<void const*>(kernel);
  }

  Session& session_;
  CudaRungFigures& figures_;
  void const* described_ = nullptr;
};

}  // namespace
}  // namespace findrho::ladder
