// SPDX-License-Identifier: BSD-3-Clause
// The C interface between the program and libfindrho_cuda.so: plain data and functions found by name.
// Whoever changes anything here raises kCudaAbi; a module of another number is refused.
#pragma once

namespace findrho {

constexpr int kCudaAbi = 1;

struct CudaDeviceRecord {
  char name[256];
  int compute_major, compute_minor;
  int multiprocessors;
  int clock_khz;
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

// Names and types of the module's functions.
//   findrho_cuda_abi        returns kCudaAbi
//   findrho_cuda_probe      fills the probe and up to `capacity` records
//   findrho_cuda_self_test  returns 0, or another number and the reason in error[error_size]
constexpr char const* kCudaAbiName = "findrho_cuda_abi";
constexpr char const* kCudaProbeName = "findrho_cuda_probe";
constexpr char const* kCudaSelfTestName = "findrho_cuda_self_test";
using CudaAbiFunction = int();
using CudaProbeFunction = void(CudaProbe* probe, CudaDeviceRecord* records, int capacity);
using CudaSelfTestFunction = int(int device, char* error, int error_size);

}  // namespace findrho
