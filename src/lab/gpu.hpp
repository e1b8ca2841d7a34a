// SPDX-License-Identifier: BSD-3-Clause
// What a GPU experiment works with: the session, the device's figures, and a stopwatch.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/session.hpp"
#include "lab/numbers.hpp"
#include "lab/recorder.hpp"

namespace findrho {

struct DeviceFigures {
  int multiprocessors = 0, compute_major = 0;
  double clock_hz = 0;            // the highest
  double memory_bytes_per_s = 0;  // from the memory's clock and bus
  std::int64_t l2_bytes = 0;
  int shared_per_multiprocessor = 0, shared_per_block = 0, shared_reserved_per_block = 0;
  int threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0, registers_per_multiprocessor = 0;
  bool concurrent_managed = false;
};

class Gpu {
 public:
  Gpu(Session& session, Recorder const& out, LabTable::Effort effort);
  Session& session;
  Recorder const& out;
  bool small;  // arrays of some MB only
  bool once;   // small, or for a profiler: nothing is repeated
  DeviceFigures figures;

  /// Median of some runs after a warm-up. launch enqueues the work; several launches a run make short ones measurable.
  template <class Launch>
  double seconds(Launch&& launch, int launches = 1) const {
    if (!once) launch();
    std::vector<double> times;
    for (int run = 0; run < runs(); ++run) {
      Event begin, end;
      begin.record(session.stream);
      for (int i = 0; i < (once ? 1 : launches); ++i) launch();
      end.record(session.stream);
      times.push_back(end.seconds_since(begin) / (once ? 1 : launches));
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    return times[times.size() / 2];
  }

  int runs() const { return once ? 1 : 9; }
  /// Enough blocks of 256 threads to fill the device twice over; kernels with grid-stride loops use it.
  int filling_blocks() const {
    return figures.multiprocessors * figures.threads_per_multiprocessor / 256 * 2;
  }
  std::size_t choose(std::size_t usual, std::size_t when_small) const { return small ? when_small : usual; }

  /// x[i] = mixed(first + i)
  void fill_mixed(std::uint32_t* x, std::size_t count, std::uint64_t first = 0) const;
  /// x[i] = mixed_float(first + i)
  void fill_mixed(float* x, std::size_t count, std::uint64_t first = 0) const;
  /// Bytes per second, read and written, of a large copy: what memory gives at best.
  double copy_rate() const;
};

}  // namespace findrho
