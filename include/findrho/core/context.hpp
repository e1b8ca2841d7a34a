// SPDX-License-Identifier: BSD-3-Clause
// Where the work runs (device, threads), whom to tell, and whether to stop. Passed explicitly, never global.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "findrho/core/events.hpp"
#include "findrho/core/thread_pool.hpp"

namespace findrho {

class Context {
 public:
  /// threads: 0 means one per core that the process may use.
  static Context cpu(int threads = 0);

  int threads() const { return pool_->threads(); }
  ThreadPool& pool() const { return *pool_; }

  void set_event_sink(EventSink sink) { sink_ = std::move(sink); }
  void emit(Event const& event) const {
    if (sink_) sink_(event);
  }
  void note(std::string text) const { emit({.type = Event::Type::note, .text = std::move(text)}); }
  void warn(std::string text) const { emit({.type = Event::Type::warning, .text = std::move(text)}); }

  /// The flag is set elsewhere (a signal handler, another thread) and looked at between iterations and phases.
  void set_cancel_flag(std::atomic<bool> const* flag) { cancel_ = flag; }
  bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }
  /// Errors  cancelled, when the flag is set.
  void throw_if_cancelled() const;

 private:
  explicit Context(int threads);
  std::shared_ptr<ThreadPool> pool_;
  EventSink sink_;
  std::atomic<bool> const* cancel_ = nullptr;
};

/// Emits phase_begin now and phase_end, with the wall time, when it goes out of scope.
class Phase {
 public:
  Phase(Context const& context, std::string name);
  ~Phase();
  Phase(Phase const&) = delete;
  Phase& operator=(Phase const&) = delete;

 private:
  Context const& context_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace findrho
