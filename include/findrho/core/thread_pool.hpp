// SPDX-License-Identifier: BSD-3-Clause
// A fixed pool of threads that share the tasks 0..n-1 of one loop at a time.
// Our own rather than OpenMP's: ThreadSanitizer sees its synchronisation, and FFTW can be told to use it.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace findrho {

class ThreadPool {
 public:
  /// threads: total, the caller included; 0 means one per core that the process may use.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(ThreadPool const&) = delete;
  ThreadPool& operator=(ThreadPool const&) = delete;

  int threads() const;

  /// Calls body(task) for every task in [0, tasks), on all threads, tasks handed out in order; returns when all
  /// are done. The first exception of a task is rethrown here. A loop inside a task runs serially on its thread.
  /// Two threads may not call it at the same time.
  template <class Body>
  void each(std::int64_t tasks, Body&& body) {
    using B = std::remove_reference_t<Body>;
    run(
        tasks, [](void* b, std::int64_t task) { (*static_cast<B*>(b))(task); },
        const_cast<void*>(static_cast<void const*>(&body)));
  }

  /// body(slot, task) for every task, slots in [0, slots); two tasks never run in one slot at the same time, so a slot may
  /// own scratch memory.
  template <class Body>
  void each_in_slots(std::int64_t slots, std::int64_t tasks, Body const& body) {
    std::atomic<std::int64_t> next{0};
    each(std::min(slots, tasks), [&](std::int64_t slot) {
      for (std::int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;)
        body(slot, task);
    });
  }

 private:
  using Invoke = void (*)(void* body, std::int64_t task);
  void run(std::int64_t tasks, Invoke invoke, void* body);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace findrho
