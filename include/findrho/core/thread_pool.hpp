// SPDX-License-Identifier: BSD-3-Clause
// A fixed pool of threads that share the tasks 0..n-1 of one loop at a time.
// Our own rather than OpenMP's: ThreadSanitizer sees its synchronisation, and FFTW can be told to use it.
#pragma once
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

 private:
  using Invoke = void (*)(void* body, std::int64_t task);
  void run(std::int64_t tasks, Invoke invoke, void* body);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace findrho
