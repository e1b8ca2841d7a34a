// SPDX-License-Identifier: BSD-3-Clause
// Shows a run's events on stderr: one redrawn line on a terminal, thinned lines elsewhere, or one JSON object
// per event.
#pragma once
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "findrho/core/events.hpp"
#include "run_record.hpp"

namespace findrho {

enum class ProgressStyle { terminal, plain, json };
enum class Verbosity { normal, quiet };

class Progress {
 public:
  /// out outlives the object. Quiet leaves only warnings.
  Progress(ProgressStyle style, Verbosity verbosity, std::FILE* out);

  /// May be called from any thread.
  void show(Event const& event);
  RunRecord const& record() const { return record_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::string name;
    Clock::time_point start, last_line, last_step;
    std::int64_t steps = 0;
    double residual = 0;
  };
  void show_lines(Event const& event);
  void begin(Event const& event);
  void end(Event const& event);
  void iterate(Event const& event);
  void put(std::string const& text);
  void print_line(std::string const& line);
  void redraw(std::string const& line);
  void clear_line();

  ProgressStyle style_;
  Verbosity verbosity_;
  std::FILE* out_;
  bool line_drawn_ = false;
  std::vector<Running> running_;
  RunRecord record_;
  std::mutex mutex_;
};

/// "850 ms", "3.2 s", "4 min 10 s", "2 h 5 min".
std::string duration_text(double seconds);
/// "512 bytes", "1.5 MiB".
std::string bytes_text(double bytes);

}  // namespace findrho
