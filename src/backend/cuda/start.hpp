// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: kernels that begin while the one before them ends.
#pragma once
#include <cuda_runtime.h>

#include "backend/cuda/check.hpp"

namespace findrho::device {

/// When a kernel's blocks may take their places: after the kernel before it, or while that one's last blocks run. Early ones
/// wait for its end before they touch memory; the launch itself is then already paid for. Devices of before compute
/// capability 9.0 begin after.
enum class Start { after, early };

#if defined(__CUDACC__)
template <Start S>
__device__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  if constexpr (S == Start::early)
    asm volatile("griddepcontrol.wait;\n griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#endif

/// Clusters of blocks and early starts: compute capability 9.0 or later, of the device and of the code that it runs, which
/// may have been translated from that of an earlier one.
inline bool has_clusters(int device) {
  int major = 0, minor = 0;
  FINDRHO_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  FINDRHO_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  bool compiled = false;
  for (int const architecture : {__CUDA_ARCH_LIST__})
    compiled = compiled || (architecture >= 900 && architecture <= 100 * major + 10 * minor);
  return compiled;
}

/// config with room for one more attribute, for the current device.
template <Start S>
void set_start(cudaLaunchConfig_t& config) {
  int device = 0;
  FINDRHO_CHECK(cudaGetDevice(&device));
  if (S == Start::after || !has_clusters(device)) return;
  cudaLaunchAttribute& attribute = config.attrs[config.numAttrs++];
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
}

}  // namespace findrho::device
