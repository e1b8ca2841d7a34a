// SPDX-License-Identifier: BSD-3-Clause
// libfindrho_cuda.so: what the driver has to offer, and a kernel that shows that it works.
#include <cstdio>
#include <exception>
#include <vector>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/session.hpp"
#include "backend/self_test_body.hpp"

namespace findrho {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  FINDRHO_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

void write_uuid(char* to, std::size_t size, cudaUUID_t const& uuid) {
  auto const* b = reinterpret_cast<unsigned char const*>(uuid.bytes);
  std::snprintf(to, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
                b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                b[15]);
}

CudaDeviceRecord describe(int device) {
  cudaDeviceProp properties{};
  FINDRHO_CHECK(cudaGetDeviceProperties(&properties, device));
  CudaDeviceRecord record{};
  std::snprintf(record.name, sizeof(record.name), "%s", properties.name);
  write_uuid(record.uuid, sizeof(record.uuid), properties.uuid);
  record.compute_major = properties.major;
  record.compute_minor = properties.minor;
  record.multiprocessors = properties.multiProcessorCount;
  record.clock_khz = attribute(cudaDevAttrClockRate, device);
  record.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, device);
  record.memory_bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, device);
  record.l2_bytes = properties.l2CacheSize;
  std::size_t free_bytes = 0, total_bytes = 0;
  FINDRHO_CHECK(cudaSetDevice(device));
  FINDRHO_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
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

/// The same body on the device and on the host, compared to the last bit (its values are small integers).
void run_self_test(int device) {
  constexpr int kCount = (1 << 20) + 3;  // not a multiple of the block: the last one is partly idle
  Session session(device);
  Buffer<float> out(session, kCount);
  out.fill(0xff);  // NaN: an element that is not written is seen
  SelfTestBody body{kCount, out.get()};
  launch_team<SelfTestBody::kLanes>(session.stream, body.blocks(), body);
  std::vector<float> const result = out.download();
  std::vector<float> expected(kCount);
  body.out = expected.data();
  std::vector<float> scratch(body.scratch_bytes() / sizeof(float));
  for (std::int64_t b = 0; b < body.blocks(); ++b) {
    body(SerialTeam{}, b, reinterpret_cast<unsigned char*>(scratch.data()));
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] != expected[i]) {
      throw ModuleFailure(CudaFault::device_fault, "element " + std::to_string(i) + " is " +
                                                       std::to_string(result[i]) + ", not " +
                                                       std::to_string(expected[i]));
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
    FINDRHO_CHECK(cudaRuntimeGetVersion(&probe->runtime_version));
    FINDRHO_CHECK(cudaDriverGetVersion(&probe->driver_version));
    FINDRHO_CHECK(cudaGetDeviceCount(&probe->devices));
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
