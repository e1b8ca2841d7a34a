// SPDX-License-Identifier: BSD-3-Clause
// L2 reuse: what of an array is still in the cache when it is read a second time. The hit rate is inferred from the
// time of the second pass, between those of memory and of the cache.
#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

/// A block reads tiles of 16 KB; pass p reads them all once more, in the same order.
__global__ void __launch_bounds__(256)
    read_passes(uint4 const* __restrict__ x, std::size_t count, int passes, unsigned* sum) {
  unsigned mine = 0;
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 4
    for (std::size_t i = grid_index(); i < count; i += grid_size()) {
      uint4 const v = __ldcg(x + i);
      mine += v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  add_over_block(sum, mine);
}

}  // namespace

void gpu_reuse(Gpu const& gpu) {
  double const l2 = gpu.small ? 1 << 20 : static_cast<double>(gpu.figures.l2_bytes);
  auto const count_of = [&](double share) { return static_cast<std::size_t>(share * l2) / 16; };
  Buffer<std::uint32_t> x(gpu.session, count_of(8) * 4);
  Buffer<unsigned> sum(gpu.session, 1);
  gpu.fill_mixed(x.get(), x.count());
  auto const* const words = reinterpret_cast<uint4 const*>(x.get());
  auto const read = [&](uint4 const* from, std::size_t count, int passes) {
    read_passes<<<gpu.filling_blocks() / 2, 256, 0, gpu.session.stream>>>(from, count, passes, sum.get());
    check_launch("read_passes");
  };
  // Whatever is timed is cold at its start: the other half of the buffer was read before it.
  auto const seconds = [&](std::size_t count, int passes) {
    std::vector<double> times;
    for (int run = 0; run < gpu.runs(); ++run) {
      read(words + count_of(4), count_of(4), 1);
      Event begin, end;
      begin.record(gpu.session.stream);
      read(words, count, passes);
      end.record(gpu.session.stream);
      times.push_back(end.seconds_since(begin));
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    return times[times.size() / 2];
  };
  double const cached = measure_l2_rate(gpu);
  // What no cache helps: later passes over eight times the L2.
  double const uncached =
      2 * 16.0 * static_cast<double>(count_of(8)) / (seconds(count_of(8), 3) - seconds(count_of(8), 1));
  std::string answer;
  for (double const share : {0.3, 0.6, 1.0, 1.25, 2.0, 4.0}) {
    std::size_t const count = count_of(share);
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < count; ++i)
      expected += mixed(4 * i) ^ mixed(4 * i + 1) ^ mixed(4 * i + 2) ^ mixed(4 * i + 3);
    sum.fill(0);
    read(words, count, 2);
    gpu.out.verify_equal("sum of two passes, " + brief(share) + " x L2", sum.download()[0], 2 * expected);
    // The fourth pass less the second: two passes over what the cache kept, without the launch's own time.
    double const once = seconds(count, 1), twice = seconds(count, 2), four = seconds(count, 4);
    double const bytes = 16.0 * static_cast<double>(count);
    double const memory_time = bytes / uncached, cached_time = bytes / cached;
    double const second = twice - once, later = (four - twice) / 2;
    auto const hit_rate = [&](double t) {
      return std::clamp((memory_time - t) / (memory_time - cached_time), 0.0, 1.0);
    };
    gpu.out.row(
        {.variant = brief(share) + " x L2, second pass",
         .values = {{"hit rate", "", hit_rate(second)},
                    {"later passes", "", hit_rate(later)},
                    {"read once", "GB/s", bytes / once / 1e9},
                    {"second pass", "GB/s", bytes / second / 1e9}},
         .predicted = share <= 1 ? 1.0 : 0.0,
         .tolerance = 0.25,
         .reason = share <= 1
                       ? "all of it fits"
                       : "the textbook's rule (oldest out first) loses every line before it is read again",
         .note =
             share <= 1
                 ? "lines hash to sets, some of which get more than they hold, and read round and round such "
                   "a set loses every line before it is wanted"
                 : "the cache does not throw out the oldest line first, so a part of the array survives"});
    if (share == 0.6 || share == 1.25) {
      answer += (answer.empty() ? "" : "; ") + brief(share) + " x L2: 0 % read once, " +
                brief(100 * hit_rate(second)) + " % of the second pass";
    }
  }
  gpu.out.answer("Hit rates of arrays of 1.25 and 0.6 times the L2, read once and twice? " + answer + ".");
  gpu.out.advice("what is read twice should be read again before half an L2 of other data has passed");
}

}  // namespace findrho
