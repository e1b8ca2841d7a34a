// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/thread_pool.hpp"

#include <sched.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace findrho {
namespace {

int allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

thread_local bool inside_task = false;

}  // namespace

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::atomic<std::uint64_t> generation{0};  // bumped once per loop; workers wait on it
  std::atomic<int> busy{0};                  // workers that have not finished the current loop
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> stop{false};
  std::int64_t tasks = 0;
  Invoke invoke = nullptr;
  void* body = nullptr;
  std::mutex error_mutex;
  std::exception_ptr error;

  void drain() {
    inside_task = true;
    for (std::int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
      try {
        invoke(body, task);
      } catch (...) {
        std::lock_guard const lock(error_mutex);
        if (!error) error = std::current_exception();
        next.store(tasks, std::memory_order_relaxed);
      }
    }
    inside_task = false;
  }

  void work() {
    std::uint64_t seen = 0;
    for (;;) {
      // Solver loops follow each other within microseconds: look a while before sleeping in the kernel.
      for (int spin = 0; spin < 2000 && generation.load(std::memory_order_acquire) == seen; ++spin) {
        std::this_thread::yield();
      }
      generation.wait(seen, std::memory_order_acquire);
      seen = generation.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_relaxed)) return;
      drain();
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  int const total = threads > 0 ? threads : allowed_cores();
  for (int i = 1; i < total; ++i) state_->workers.emplace_back([s = state_.get()] { s->work(); });
}

ThreadPool::~ThreadPool() {
  state_->stop = true;
  state_->generation.fetch_add(1, std::memory_order_release);
  state_->generation.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const {
  return static_cast<int>(state_->workers.size()) + 1;
}

void ThreadPool::run(std::int64_t tasks, Invoke invoke, void* body) {
  if (inside_task || state_->workers.empty() || tasks <= 1) {
    for (std::int64_t task = 0; task < tasks; ++task) invoke(body, task);
    return;
  }
  State& s = *state_;
  s.tasks = tasks;
  s.invoke = invoke;
  s.body = body;
  s.error = nullptr;
  s.next.store(0, std::memory_order_relaxed);
  s.busy.store(static_cast<int>(s.workers.size()), std::memory_order_relaxed);
  s.generation.fetch_add(1, std::memory_order_release);
  s.generation.notify_all();
  s.drain();
  for (int left; (left = s.busy.load(std::memory_order_acquire)) != 0;)
    s.busy.wait(left, std::memory_order_acquire);
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace findrho
