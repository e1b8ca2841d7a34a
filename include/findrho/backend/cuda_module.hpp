// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend is a module of its own, libfindrho_cuda.so, that the program loads while it runs: the same
// program starts on machines without a GPU or a driver, and can say what is missing.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace findrho {

struct CudaDevice {
  int index = 0;  // n of --device cuda:<n>
  std::string name;
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0, memory_free_bytes = 0;
  std::int64_t l2_bytes = 0;
  double clock_mhz = 0;
  std::string uuid;               // names the device over reboots
  double memory_bytes_per_s = 0;  // from the memory's clock and bus: what no kernel can exceed
};

struct CudaModule {
  enum class State {
    ready,      // the module is loaded and has at least one device
    not_built,  // this build made no module, and none was found
    not_found,  // this build made a module, but it does not lie where the program looks
    unusable,   // a file was found that is damaged or of another version
    no_driver,  // the NVIDIA driver is missing or older than the module's CUDA
    no_device,  // the driver has no device to offer
    failed      // the driver or a device answered with an error
  };
  State state = State::not_built;
  std::string reason;           // why it is not ready, as one line
  std::string hint;             // the next step; empty when ready
  std::string path;             // of the module's file; empty when none was found
  std::string driver, runtime;  // CUDA versions, "13.0"; empty when unknown
  std::vector<CudaDevice> devices;

  bool ready() const { return state == State::ready; }
};

/// Looks beside the program, in ../lib and in ../lib/findrho, and asks the module for its devices.
/// Never throws for a missing piece: the state says which.
CudaModule load_cuda_module();

/// The device, when it is there.
/// Errors  not_built, no_device, device_fault
CudaDevice const& require_cuda_device(CudaModule const& module, int index);

/// Runs one body (shared memory, barriers, atomics) on a device and on the CPU and compares every element.
/// Errors  not_built, no_device, device_fault
void cuda_self_test(CudaModule const& module, int index);

}  // namespace findrho
