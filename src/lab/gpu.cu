// SPDX-License-Identifier: BSD-3-Clause
#include "lab/gpu.hpp"

namespace findrho {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  FINDRHO_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

template <class T>
__global__ void fill(T* x, std::size_t count, std::uint64_t first) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if constexpr (sizeof(T) == 4 && T(0.5) != T(0)) {
      x[i] = mixed_float(first + i);
    } else {
      x[i] = mixed(first + i);
    }
  }
}

__global__ void __launch_bounds__(256) copy_words(uint4 const* __restrict__ from, uint4* __restrict__ to) {
  std::size_t const i = blockIdx.x * std::size_t{256} + threadIdx.x;
  to[i] = from[i];
}

}  // namespace

Gpu::Gpu(Session& session_, Recorder const& out_, LabTable::Effort effort)
    : session(session_), out(out_), small(effort == LabTable::small), once(effort != LabTable::usual) {
  int const d = session.device;
  figures.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, d);
  figures.compute_major = attribute(cudaDevAttrComputeCapabilityMajor, d);
  figures.clock_hz = 1e3 * attribute(cudaDevAttrClockRate, d);
  figures.memory_bytes_per_s =
      2e3 * attribute(cudaDevAttrMemoryClockRate, d) * (attribute(cudaDevAttrGlobalMemoryBusWidth, d) / 8);
  figures.l2_bytes = attribute(cudaDevAttrL2CacheSize, d);
  figures.shared_per_multiprocessor = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, d);
  figures.shared_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, d);
  figures.shared_reserved_per_block = attribute(cudaDevAttrReservedSharedMemoryPerBlock, d);
  figures.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, d);
  figures.blocks_per_multiprocessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor, d);
  figures.registers_per_multiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor, d);
  figures.concurrent_managed = attribute(cudaDevAttrConcurrentManagedAccess, d) != 0;
}

void Gpu::fill_mixed(std::uint32_t* x, std::size_t count, std::uint64_t first) const {
  fill<<<filling_blocks(), 256, 0, session.stream>>>(x, count, first);
  check_launch("fill");
}

void Gpu::fill_mixed(float* x, std::size_t count, std::uint64_t first) const {
  fill<<<filling_blocks(), 256, 0, session.stream>>>(x, count, first);
  check_launch("fill");
}

double Gpu::copy_rate() const {
  std::size_t const count = choose(std::size_t{1} << 26, 1 << 16);
  Buffer<uint4> from(session, count), to(session, count);
  from.fill(1);
  double const t = seconds([&] {
    copy_words<<<static_cast<unsigned>(count / 256), 256, 0, session.stream>>>(from.get(), to.get());
    check_launch("copy_words");
  });
  return 2.0 * static_cast<double>(from.bytes()) / t;
}

}  // namespace findrho
