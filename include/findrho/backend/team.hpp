// SPDX-License-Identifier: BSD-3-Clause
// A kernel body takes a Team and runs unchanged as a CUDA block (BlockTeam), on one CPU core (SerialTeam), or
// with one thread per lane (ThreadTeam, tests only: ThreadSanitizer sees a missing sync()). A body is a named
// functor:  template <class Team> FINDRHO_HD void operator()(Team const&, std::int64_t block, unsigned char*
// scratch) const;  std::size_t scratch_bytes() const.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define FINDRHO_HD __host__ __device__
#else
#define FINDRHO_HD
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>
#endif

namespace findrho {

#if defined(__CUDACC__)
/// Lanes are the threads of a block. Their number is known to the compiler, so that each() is unrolled.
template <int Lanes>
struct BlockTeam {
  __device__ static constexpr int size() { return Lanes; }
  __device__ void sync() const { __syncthreads(); }
  template <class F>
  __device__ void each(int n, F f) const {
    __builtin_assume(threadIdx.x < Lanes);
    int const lane = static_cast<int>(threadIdx.x), whole = n / Lanes;
    // Where the compiler knows n, all rounds but a short last one are without a test, so that they unroll.
#pragma unroll 16
    for (int round = 0; round < whole; ++round) f(round * Lanes + lane);
    if (whole * Lanes + lane < n) f(whole * Lanes + lane);
  }
  template <class T>
  __device__ void add(T& to, T value) const {
    atomicAdd(&to, value);
  }
};
#endif

/// A value that nobody writes while the kernel runs: the compiler may then read several before it stores one.
template <class T>
FINDRHO_HD T read_only(T const* from) {
#if defined(__CUDA_ARCH__)
  return __ldg(from);
#else
  return *from;
#endif
}

/// One lane: the production CPU.
struct SerialTeam {
  FINDRHO_HD static constexpr int size() { return 1; }
  FINDRHO_HD void sync() const {}
  template <class F>
  FINDRHO_HD void each(int n, F f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
  template <class T>
  FINDRHO_HD void add(T& to, T value) const {
    to += value;
  }
};

#if !defined(__CUDACC__)
/// Real threads.
struct ThreadTeam {
  int lane, lanes;
  std::barrier<>* barrier;
  int size() const { return lanes; }
  void sync() const { barrier->arrive_and_wait(); }
  template <class F>
  void each(int n, F f) const {
    for (int i = lane; i < n; i += lanes) f(i);
  }
  template <class T>
  void add(T& to, T value) const {
    std::atomic_ref<T>(to).fetch_add(value, std::memory_order_relaxed);
  }
};

constexpr int kMostTestLanes = 32;  // threads are dear: more lanes find no more races

template <class Body>
void run_serial(std::int64_t blocks, Body const& body) {
  std::vector<std::max_align_t> scratch(body.scratch_bytes() / sizeof(std::max_align_t) + 1);
  for (std::int64_t b = 0; b < blocks; ++b)
    body(SerialTeam{}, b, reinterpret_cast<unsigned char*>(scratch.data()));
}

/// Every block with `lanes` threads of its own, one block after the other.
template <class Body>
void run_threaded(int lanes, std::int64_t blocks, Body const& body) {
  std::vector<std::max_align_t> scratch(body.scratch_bytes() / sizeof(std::max_align_t) + 1);
  for (std::int64_t b = 0; b < blocks; ++b) {
    std::barrier<> barrier(lanes);
    std::vector<std::jthread> threads;
    for (int lane = 0; lane < lanes; ++lane) {
      threads.emplace_back([&, lane] {
        body(ThreadTeam{lane, lanes, &barrier}, b, reinterpret_cast<unsigned char*>(scratch.data()));
      });
    }
  }
}
#endif

}  // namespace findrho
