// SPDX-License-Identifier: BSD-3-Clause
// The topic "device": sessions, their memory, transfers and events.
#include "backend/cuda/session.hpp"

#include <cstdint>

namespace findrho {

MemoryPool::MemoryPool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {.type = cudaMemLocationTypeDevice, .id = device};
  FINDRHO_CHECK(cudaMemPoolCreate(&pool_, &properties));
  std::uint64_t keep_all = UINT64_MAX;
  FINDRHO_CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_all));
}

MemoryPool::~MemoryPool() {
  cudaMemPoolDestroy(pool_);
}

void* MemoryPool::allocate(std::size_t bytes, cudaStream_t stream) {
  void* memory = nullptr;
  if (bytes == 0) bytes = 1;
  cudaError_t const code = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free_bytes = 0, total = 0;
    FINDRHO_CHECK(cudaMemGetInfo(&free_bytes, &total));
    throw ModuleFailure(CudaFault::out_of_memory,
                        std::to_string(bytes) + " bytes of device memory were asked for, " +
                            std::to_string(free_bytes) + " of " + std::to_string(total) + " are free");
  }
  check(code, "cudaMallocFromPoolAsync");
  return memory;
}

void MemoryPool::trim() {
  FINDRHO_CHECK(cudaMemPoolTrimTo(pool_, 0));
}

void MemoryPool::describe(CudaMemoryUse& use) const {
  std::uint64_t held = 0, used = 0, most = 0;
  FINDRHO_CHECK(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &held));
  FINDRHO_CHECK(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used));
  FINDRHO_CHECK(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &most));
  use.pool_held = static_cast<long long>(held);
  use.pool_used = static_cast<long long>(used);
  use.pool_most_used = static_cast<long long>(most);
}

namespace {

Session& as_session(void* session) {
  return *static_cast<Session*>(session);
}

int open(int device, void** session, CudaFault* fault) {
  return guarded(fault, [&] { *session = new Session(device); });
}
void close(void* session) {
  cudaStreamSynchronize(as_session(session).stream);
  delete static_cast<Session*>(session);
}
int allocate(void* session, std::size_t bytes, void** memory, CudaFault* fault) {
  return guarded(fault,
                 [&] { *memory = as_session(session).pool.allocate(bytes, as_session(session).stream); });
}
void release(void* session, void* memory) {
  as_session(session).pool.release(memory, as_session(session).stream);
}
int allocate_host(void*, std::size_t bytes, void** memory, CudaFault* fault) {
  return guarded(fault, [&] { FINDRHO_CHECK(cudaMallocHost(memory, bytes)); });
}
void release_host(void*, void* memory) {
  cudaFreeHost(memory);
}
int copy(void* session, void* to, void const* from, std::size_t bytes, CudaFault* fault) {
  return guarded(fault, [&] {
    FINDRHO_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, as_session(session).stream));
  });
}
int clear(void* session, void* memory, std::size_t bytes, CudaFault* fault) {
  return guarded(fault,
                 [&] { FINDRHO_CHECK(cudaMemsetAsync(memory, 0, bytes, as_session(session).stream)); });
}
int synchronize(void* session, CudaFault* fault) {
  return guarded(fault, [&] { as_session(session).stream.synchronize(); });
}
int record(void* session, void** event, CudaFault* fault) {
  return guarded(fault, [&] {
    auto made = std::make_unique<Event>();
    made->record(as_session(session).stream);
    *event = made.release();
  });
}
int elapsed(void*, void* from, void* to, double* seconds, CudaFault* fault) {
  return guarded(fault,
                 [&] { *seconds = static_cast<Event*>(to)->seconds_since(*static_cast<Event*>(from)); });
}
void drop(void*, void* event) {
  delete static_cast<Event*>(event);
}
int memory_use(void* session, CudaMemoryUse* use, CudaFault* fault) {
  return guarded(fault, [&] {
    std::size_t free_bytes = 0, total = 0;
    FINDRHO_CHECK(cudaMemGetInfo(&free_bytes, &total));
    use->device_free = static_cast<long long>(free_bytes);
    use->device_total = static_cast<long long>(total);
    as_session(session).pool.describe(*use);
  });
}
int trim(void* session, CudaFault* fault) {
  return guarded(fault, [&] {
    as_session(session).stream.synchronize();
    as_session(session).pool.trim();
  });
}

constexpr CudaDeviceTable kTable{open,  close,       allocate, release, allocate_host, release_host, copy,
                                 clear, synchronize, record,   elapsed, drop,          memory_use,   trim};

}  // namespace
}  // namespace findrho

FINDRHO_EXPORT void const* findrho_cuda_topic_device(int version) {
  return version == findrho::CudaDeviceTable::kVersion ? &findrho::kTable : nullptr;
}
