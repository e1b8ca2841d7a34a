// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: a stream, a memory pool, events and owned device memory.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/check.hpp"
#include "backend/cuda/device_abi.hpp"

namespace findrho {

class Stream {
 public:
  Stream() { FINDRHO_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;
  operator cudaStream_t() const { return stream_; }
  void synchronize() const { FINDRHO_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { FINDRHO_CHECK(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(Event const&) = delete;
  Event& operator=(Event const&) = delete;
  void record(cudaStream_t stream) { FINDRHO_CHECK(cudaEventRecord(event_, stream)); }
  /// Waits for both.
  double seconds_since(Event const& earlier) const {
    float milliseconds = 0;
    FINDRHO_CHECK(cudaEventSynchronize(event_));
    FINDRHO_CHECK(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Stream-ordered memory that the pool keeps when it is freed: the second allocation of a size costs
/// microseconds.
class MemoryPool {
 public:
  explicit MemoryPool(int device);
  ~MemoryPool();
  MemoryPool(MemoryPool const&) = delete;
  MemoryPool& operator=(MemoryPool const&) = delete;
  void* allocate(std::size_t bytes, cudaStream_t stream);
  void release(void* memory, cudaStream_t stream) noexcept { cudaFreeAsync(memory, stream); }
  void trim();
  void describe(CudaMemoryUse& use) const;

 private:
  cudaMemPool_t pool_ = nullptr;
};

struct Session {
  explicit Session(int device_) : device(device_), pool(select(device_)) {}
  int device;
  int attribute(cudaDeviceAttr which) const {
    int value = 0;
    FINDRHO_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
  }
  MemoryPool pool;
  Stream stream;
  /// What is costly to make and may serve the session's next work, by a key of its kind. It goes before the stream.
  std::map<std::string, std::shared_ptr<void>> kept;
  /// What is kept under this key; made now where nothing is.
  template <class Kept, class Make>
  std::shared_ptr<Kept> keep(std::string const& key, Make const& make) {
    constexpr std::size_t kMostKept = 32;
    if (auto const found = kept.find(key); found != kept.end())
      return std::static_pointer_cast<Kept>(found->second);
    std::shared_ptr<Kept> made = make();
    if (kept.size() >= kMostKept) kept.clear();  // those in use live on
    kept.emplace(key, made);
    return made;
  }

 private:
  static int select(int device) {
    FINDRHO_CHECK(cudaSetDevice(device));
    return device;
  }
};

/// Owned device memory of a session, freed in the order of its stream.
template <class T>
class Buffer {
 public:
  Buffer(Session& session, std::size_t count)
      : session_(&session),
        data_(static_cast<T*>(session.pool.allocate(count * sizeof(T), session.stream))),
        count_(count) {}
  Buffer(Session& session, std::vector<T> const& values) : Buffer(session, values.size()) {
    upload(values.data());
  }
  ~Buffer() {
    if (data_ != nullptr) session_->pool.release(data_, session_->stream);
  }
  Buffer(Buffer&& other) noexcept
      : session_(other.session_), data_(std::exchange(other.data_, nullptr)), count_(other.count_) {}
  Buffer& operator=(Buffer&&) = delete;

  T* get() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  void upload(T const* from) {
    FINDRHO_CHECK(cudaMemcpyAsync(data_, from, bytes(), cudaMemcpyHostToDevice, session_->stream));
    session_->stream.synchronize();
  }
  void fill(int byte) { FINDRHO_CHECK(cudaMemsetAsync(data_, byte, bytes(), session_->stream)); }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    FINDRHO_CHECK(cudaMemcpyAsync(values.data(), data_, bytes(), cudaMemcpyDeviceToHost, session_->stream));
    session_->stream.synchronize();
    return values;
  }

 private:
  Session* session_;
  T* data_;
  std::size_t count_;
};

/// Pinned host memory: copies to and from it run beside the host.
template <class T>
class Pinned {
 public:
  explicit Pinned(std::size_t count) { FINDRHO_CHECK(cudaMallocHost(&data_, count * sizeof(T))); }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(Pinned const&) = delete;
  Pinned& operator=(Pinned const&) = delete;
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace findrho
