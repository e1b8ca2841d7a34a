// SPDX-License-Identifier: BSD-3-Clause
// The C interface between the program and libfindrho_cuda.so: plain data and functions found by name.
// Whoever changes anything in this file raises kCudaAbi; a module of another number is refused.
// Every topic (device, fft, blas, lab, ...) adds one function table of its own: see cuda_topic below.
#pragma once

namespace findrho {

constexpr int kCudaAbi = 2;

struct CudaDeviceRecord {
  char name[256];
  char uuid[48];  // "GPU-xxxxxxxx-xxxx-...": names a device over reboots
  int compute_major, compute_minor;
  int multiprocessors;
  int clock_khz;
  int memory_clock_khz, memory_bus_bits;
  long long memory_bytes, memory_free_bytes;
  long long l2_bytes;
};

struct CudaProbe {
  enum Status : int { ok, no_driver, no_device, failed };
  int status;
  int driver_version, runtime_version;  // 1000 major + 10 minor; 0 when unknown
  int devices;                          // how many there are; the records may be fewer
  char error[512];                      // the call that failed and what it said
};

/// What went wrong inside the module. No exception crosses the boundary: a function returns 0, or another
/// number and this.
struct CudaFault {
  enum Kind : int { out_of_memory, device_fault, bad_argument, not_supported, cancelled };
  int kind;
  char text[1024];
};

// Names and types of the module's functions.
//   findrho_cuda_abi        returns kCudaAbi
//   findrho_cuda_probe      fills the probe and up to `capacity` records
//   findrho_cuda_self_test  returns 0, or another number and the reason in error[error_size]
//   findrho_cuda_topic_<topic>  returns the topic's table, or null when the module has another version of it
constexpr char const* kCudaAbiName = "findrho_cuda_abi";
constexpr char const* kCudaProbeName = "findrho_cuda_probe";
constexpr char const* kCudaSelfTestName = "findrho_cuda_self_test";
constexpr char const* kCudaTopicPrefix = "findrho_cuda_topic_";
using CudaAbiFunction = int();
using CudaProbeFunction = void(CudaProbe* probe, CudaDeviceRecord* records, int capacity);
using CudaSelfTestFunction = int(int device, char* error, int error_size);
using CudaTopicFunction = void const*(int version);

}  // namespace findrho
