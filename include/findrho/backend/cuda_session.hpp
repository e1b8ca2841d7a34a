// SPDX-License-Identifier: BSD-3-Clause
// Work on one CUDA device from the program's side: memory, transfers, timing, transforms and products.
// Everything is done inside libfindrho_cuda.so; no CUDA header is needed here.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "findrho/backend/cuda_module.hpp"

namespace findrho {

struct CudaFault;

/// What --device means on this machine.
struct DeviceChoice {
  bool cuda = false;
  int index = 0;
  std::string reason;  // "auto: the CUDA module has no device, so the CPU works"; empty when it was asked for
};

/// name: auto, cpu, cuda or cuda:<n>. auto takes device 0 where the module is ready and the CPU elsewhere.
/// Errors  bad_option, not_built, no_device, device_fault
DeviceChoice choose_device(std::string const& name, CudaModule const& module);

/// One stream with one memory pool. Calls on it run on the device in their order. Cheap to copy: a handle.
class CudaSession {
 public:
  /// Errors  not_built, no_device, device_fault, out_of_memory
  static CudaSession open(CudaModule const& module, int index);

  CudaDevice const& device() const;
  void synchronize() const;

  struct MemoryUse {
    std::int64_t device_free = 0, device_total = 0;
    std::int64_t pool_held = 0, pool_used = 0, pool_most_used = 0;
  };
  MemoryUse memory_use() const;
  /// Gives what the pool holds beyond its use back to the device.
  void trim() const;

  /// A topic's function table; Table has kTopic and kVersion.
  /// Errors  not_built, when the module has no such table of that version
  template <class Table>
  Table const& table() const {
    return *static_cast<Table const*>(find_table(Table::kTopic, Table::kVersion));
  }
  void* handle() const;  // the first argument of the tables' functions

 private:
  friend class CudaMemory;
  friend class CudaEvent;
  void const* find_table(char const* topic, int version) const;
  struct State;
  std::shared_ptr<State> state_;
};

/// Calls a table's function and throws its fault.
/// Errors  out_of_memory, device_fault, bad_option, not_built, cancelled
[[noreturn]] void throw_fault(CudaFault const& fault, std::string const& device);

/// Untyped device memory, or pinned host memory.
class CudaMemory {
 public:
  enum class Kind { device, pinned_host };
  /// Errors  out_of_memory, device_fault
  CudaMemory(CudaSession const& session, std::int64_t bytes, Kind kind = Kind::device);
  ~CudaMemory();
  CudaMemory(CudaMemory&& other) noexcept;
  CudaMemory& operator=(CudaMemory&& other) noexcept;
  void* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }
  /// Waits until the copy is done.
  void upload(void const* from, std::int64_t bytes) const;
  void download(void* to, std::int64_t bytes) const;
  void clear() const;

 private:
  CudaSession session_;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
  Kind kind_ = Kind::device;
};

/// A vector in device memory.
template <class T>
class CudaVector {
 public:
  CudaVector(CudaSession const& session, std::int64_t size)
      : memory_(session, size * static_cast<std::int64_t>(sizeof(T))), size_(size) {}
  CudaVector(CudaSession const& session, std::vector<T> const& values)
      : CudaVector(session, static_cast<std::int64_t>(values.size())) {
    memory_.upload(values.data(), memory_.bytes());
  }
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::int64_t size() const { return size_; }
  void clear() const { memory_.clear(); }
  /// All elements, from or to host memory; waits until the copy is done.
  void upload(T const* from) const { memory_.upload(from, memory_.bytes()); }
  void download(T* to) const { memory_.download(to, memory_.bytes()); }
  std::vector<T> download() const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    memory_.download(values.data(), memory_.bytes());
    return values;
  }

 private:
  CudaMemory memory_;
  std::int64_t size_;
};

/// A moment in a session's order of work.
class CudaEvent {
 public:
  explicit CudaEvent(CudaSession const& session);  // now
  ~CudaEvent();
  CudaEvent(CudaEvent const&) = delete;
  CudaEvent& operator=(CudaEvent const&) = delete;
  /// Waits for both.
  double seconds_since(CudaEvent const& earlier) const;

 private:
  CudaSession session_;
  void* event_ = nullptr;
};

/// Complex transforms in place, any size, no scale factor, by cuFFT. Work memory comes from the session's
/// pool.
template <class T>
class CudaFft {
 public:
  /// size: slowest axis first, one to three axes; batch transforms follow each other in memory
  /// Errors  bad_option, out_of_memory, device_fault
  CudaFft(CudaSession const& session, std::vector<std::int64_t> const& size, std::int64_t batch = 1);
  ~CudaFft();
  CudaFft(CudaFft const&) = delete;
  CudaFft& operator=(CudaFft const&) = delete;
  void forward(std::complex<T>* data) const { run(data, 0); }
  void inverse(std::complex<T>* data) const { run(data, 1); }

 private:
  void run(std::complex<T>* data, int inverse) const;
  CudaSession session_;
  void* plan_ = nullptr;
};

/// Dense products by cuBLAS, row-major.
class CudaBlas {
 public:
  explicit CudaBlas(CudaSession const& session);
  ~CudaBlas();
  CudaBlas(CudaBlas const&) = delete;
  CudaBlas& operator=(CudaBlas const&) = delete;
  enum class Precision { fp32, tf32 };
  /// C (m x n) = A (m x k) B (k x n)
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, float const* a, float const* b, float* c,
                Precision precision = Precision::fp32) const;
  /// to (columns x rows) = transpose of from (rows x columns)
  void transpose(float const* from, float* to, std::int64_t rows, std::int64_t columns) const;

 private:
  CudaSession session_;
  void* blas_ = nullptr;
};

}  // namespace findrho
