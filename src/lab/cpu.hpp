// SPDX-License-Identifier: BSD-3-Clause
// What a CPU experiment works with, and the CPU experiments.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/core/context.hpp"
#include "lab/numbers.hpp"
#include "lab/recorder.hpp"

namespace findrho {

struct Cpu {
  Context const& context;
  Recorder const& out;
  bool small;

  std::size_t choose(std::size_t usual, std::size_t when_small) const { return small ? when_small : usual; }
  int threads() const { return context.threads(); }

  /// Median wall time of some runs after a warm-up; of fewer, one at least, where they take more than a second together:
  /// on a slow or busy machine the lab is to end, too.
  template <class Run>
  double seconds(Run&& run, int repeats = 3) const {
    run();
    std::vector<double> times;
    double together = 0;
    for (int i = 0; i < (small ? 1 : repeats) && together < 1; ++i) {
      auto const begin = std::chrono::steady_clock::now();
      run();
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      together += times.back();
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    return times[times.size() / 2];
  }

  /// The sum over all threads of part(first, last) over a range that is cut once for each thread.
  template <class Part>
  std::uint32_t sum(std::size_t count, Part&& part) const {
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(threads()) * 16, 0);  // 64 bytes apart
    std::size_t const each =
        (count + static_cast<std::size_t>(threads()) - 1) / static_cast<std::size_t>(threads());
    context.pool().each(threads(), [&](std::int64_t t) {
      std::size_t const first = std::min(count, static_cast<std::size_t>(t) * each),
                        last = std::min(count, first + each);
      sums[static_cast<std::size_t>(t) * 16] = part(first, last);
    });
    std::uint32_t total = 0;
    for (std::uint32_t const s : sums) total += s;
    return total;
  }
};

/// The explanation that fits the side on which a measurement missed its prediction.
inline std::string const& on_side(double measured, double predicted, std::string const& above,
                                  std::string const& below) {
  return measured > predicted ? above : below;
}

/// Size of the last-level cache that one core sees, from the system; 32 MB where it does not say.
std::int64_t last_cache_bytes();

void cpu_access(Cpu const& cpu);
void cpu_transpose(Cpu const& cpu);
void cpu_matmul(Cpu const& cpu);
void cpu_cache_sweep(Cpu const& cpu);
void cpu_histogram(Cpu const& cpu);
void cpu_arithmetic(Cpu const& cpu);
void cpu_roofline(Cpu const& cpu);

/// Bytes per second, read and written, of a copy that no cache holds.
double cpu_copy_rate(Cpu const& cpu);
/// Bytes per second that each core's second-level cache gives, all cores together.
double cpu_cache_rate(Cpu const& cpu);
/// Bytes per second of sums over a set of this size of each thread's own, which is read again and again, all threads.
double cpu_stream_rate(Cpu const& cpu, std::size_t bytes_each);
/// Cycles per second, all threads together: less than the cores have where other programs take turns with these threads.
double cpu_cycle_rate(Cpu const& cpu);
/// Single-precision operations per second of fused multiply-adds, all threads.
double cpu_multiply_add_rate(Cpu const& cpu);
/// Lanes of a vector of floats, as chosen while running.
int cpu_vector_lanes();

}  // namespace findrho
