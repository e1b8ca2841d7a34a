// SPDX-License-Identifier: BSD-3-Clause
// libfindrho_cuda.so: what the driver has to offer, and a kernel that shows that it works.
#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/cuda/module_abi.hpp"

#define FINDRHO_EXPORT extern "C" __attribute__((visibility("default")))

namespace findrho {
namespace {

struct CudaFailure : std::runtime_error {
  CudaFailure(char const* call, cudaError_t code_)
      : std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code_) + " (" +
                           cudaGetErrorName(code_) + ")"),
        code(code_) {}
  cudaError_t code;
};

void check(cudaError_t code, char const* call) {
  if (code != cudaSuccess) throw CudaFailure(call, code);
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

CudaDeviceRecord describe(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  CudaDeviceRecord record{};
  std::snprintf(record.name, sizeof(record.name), "%s", properties.name);
  record.compute_major = properties.major;
  record.compute_minor = properties.minor;
  record.multiprocessors = properties.multiProcessorCount;
  record.clock_khz = attribute(cudaDevAttrClockRate, device);
  record.l2_bytes = properties.l2CacheSize;
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaSetDevice(device), "cudaSetDevice");
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  record.memory_bytes = static_cast<long long>(total_bytes);
  record.memory_free_bytes = static_cast<long long>(free_bytes);
  return record;
}

/// A missing driver is reported as version 0, a driver older than the runtime as insufficient.
CudaProbe::Status status_of(cudaError_t code, int driver_version) {
  if (driver_version == 0 || code == cudaErrorInsufficientDriver) return CudaProbe::no_driver;
  if (code == cudaErrorNoDevice) return CudaProbe::no_device;
  return CudaProbe::failed;
}

__global__ void scale_and_add(int n, float a, float const* x, float* y) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = a * x[i] + y[i];
}

struct DeviceDelete {
  void operator()(float* memory) const { cudaFree(memory); }
};

std::unique_ptr<float, DeviceDelete> to_device(std::vector<float> const& values) {
  float* memory = nullptr;
  std::size_t const bytes = values.size() * sizeof(float);
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  std::unique_ptr<float, DeviceDelete> owner(memory);
  check(cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  return owner;
}

void run_self_test(int device) {
  constexpr int kCount = (1 << 20) + 3;  // not a multiple of the block: the last one is partly idle
  constexpr int kBlock = 256;
  constexpr float kFactor = 0.5f;
  // Small integers and a factor of one half: exact in float, whether the multiply-add is fused or not.
  std::vector<float> x(kCount), y(kCount);
  for (int i = 0; i < kCount; ++i) {
    x[static_cast<std::size_t>(i)] = static_cast<float>(i % 1024);
    y[static_cast<std::size_t>(i)] = static_cast<float>(i % 7);
  }
  check(cudaSetDevice(device), "cudaSetDevice");
  auto const device_x = to_device(x);
  auto const device_y = to_device(y);
  scale_and_add<<<(kCount + kBlock - 1) / kBlock, kBlock>>>(kCount, kFactor, device_x.get(), device_y.get());
  check(cudaGetLastError(), "kernel launch");
  check(cudaDeviceSynchronize(), "kernel");
  std::vector<float> result(kCount);
  check(cudaMemcpy(result.data(), device_y.get(), result.size() * sizeof(float), cudaMemcpyDeviceToHost),
        "cudaMemcpy to the host");
  for (std::size_t i = 0; i < result.size(); ++i) {
    float const expected = kFactor * x[i] + y[i];
    if (result[i] != expected) {
      throw std::runtime_error("element " + std::to_string(i) + " is " + std::to_string(result[i]) +
                               ", not " + std::to_string(expected));
    }
  }
}

}  // namespace
}  // namespace findrho

FINDRHO_EXPORT int findrho_cuda_abi() {
  return findrho::kCudaAbi;
}

FINDRHO_EXPORT void findrho_cuda_probe(findrho::CudaProbe* probe, findrho::CudaDeviceRecord* records,
                                       int capacity) {
  using namespace findrho;
  *probe = CudaProbe{};
  try {
    check(cudaRuntimeGetVersion(&probe->runtime_version), "cudaRuntimeGetVersion");
    check(cudaDriverGetVersion(&probe->driver_version), "cudaDriverGetVersion");
    check(cudaGetDeviceCount(&probe->devices), "cudaGetDeviceCount");
    for (int device = 0; device < probe->devices && device < capacity; ++device)
      records[device] = describe(device);
    probe->status = probe->devices > 0 ? CudaProbe::ok : CudaProbe::no_device;
  } catch (CudaFailure const& failure) {
    probe->status = status_of(failure.code, probe->driver_version);
    std::snprintf(probe->error, sizeof(probe->error), "%s", failure.what());
  }
}

FINDRHO_EXPORT int findrho_cuda_self_test(int device, char* error, int error_size) {
  try {
    findrho::run_self_test(device);
    return 0;
  } catch (std::exception const& failure) {
    std::snprintf(error, static_cast<std::size_t>(error_size), "%s", failure.what());
    return 1;
  }
}
