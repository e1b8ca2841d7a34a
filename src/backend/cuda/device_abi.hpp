// SPDX-License-Identifier: BSD-3-Clause
// The module's tables for memory, transfers and timing (topic "device"), transforms ("fft") and products
// ("blas"). A session is one stream with one memory pool on one device. Work of a session runs in the order
// of the calls.
#pragma once
#include <cstddef>

#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct CudaMemoryUse {
  long long device_free, device_total;
  long long pool_held, pool_used, pool_most_used;
};

struct CudaDeviceTable {
  static constexpr char const* kTopic = "device";
  static constexpr int kVersion = 1;
  int (*open)(int device, void** session, CudaFault*);
  void (*close)(void* session);
  int (*allocate)(void* session, std::size_t bytes, void** memory, CudaFault*);
  void (*release)(void* session, void* memory);
  /// Pinned host memory: transfers from and to it run at the link's rate and beside the host's work.
  int (*allocate_host)(void* session, std::size_t bytes, void** memory, CudaFault*);
  void (*release_host)(void* session, void* memory);
  /// Between host and device in either direction; ordered after the session's earlier work, may return before
  /// it ends.
  int (*copy)(void* session, void* to, void const* from, std::size_t bytes, CudaFault*);
  int (*clear)(void* session, void* memory, std::size_t bytes, CudaFault*);
  int (*synchronize)(void* session, CudaFault*);
  int (*record)(void* session, void** event, CudaFault*);
  int (*elapsed)(void* session, void* from, void* to, double* seconds, CudaFault*);
  void (*drop)(void* session, void* event);
  int (*memory_use)(void* session, CudaMemoryUse*, CudaFault*);
  /// Gives what the pool holds beyond its use back to the device.
  int (*trim)(void* session, CudaFault*);
};

struct CudaFftRecord {
  int rank;           // 1, 2 or 3
  long long size[3];  // slowest first
  long long batch;    // transforms, one after the other in memory
  int double_precision;
};

struct CudaFftTable {
  static constexpr char const* kTopic = "fft";
  static constexpr int kVersion = 1;
  int (*open)(void* session, CudaFftRecord const*, void** plan, CudaFault*);
  void (*close)(void* plan);
  /// Complex, in place, without a scale factor; forward is exp(-i 2 pi).
  int (*run)(void* plan, void* data, int inverse, CudaFault*);
};

/// C (m x n) = A (m x k) B (k x n), row-major, without gaps between rows.
struct CudaGemmRecord {
  enum Type : int { fp32, tf32, fp16 };  // fp16: A, B and C are 16-bit floats, the sums 32-bit
  int type;
  long long m, n, k;
  void const *a, *b;
  void* c;
};

struct CudaBlasTable {
  static constexpr char const* kTopic = "blas";
  static constexpr int kVersion = 1;
  int (*open)(void* session, void** blas, CudaFault*);
  void (*close)(void* blas);
  int (*gemm)(void* blas, CudaGemmRecord const*, CudaFault*);
  /// to (columns x rows) = transpose of from (rows x columns)
  int (*transpose)(void* blas, float const* from, float* to, long long rows, long long columns, CudaFault*);
};

}  // namespace findrho
