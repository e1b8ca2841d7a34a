// SPDX-License-Identifier: BSD-3-Clause
// Cache sweep: one thread's pointer chase and all threads' stream over working sets of 4 KB to four times the L2
// cache. Plateaus are caches, knees their sizes. With it: streaming hints and the L2 cache's persisting window.
#include <cmath>

#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kSteps = 2048, kLineWords = 32;

__global__ void make_chain(unsigned* chain, Cycle cycle) {
  for (std::uint64_t i = grid_index(); i < cycle.n; i += grid_size()) {
    chain[i * kLineWords] = static_cast<unsigned>(cycle.next(i) * kLineWords);
  }
}

/// Reads every line into the L2 cache, past the L1.
__global__ void touch(unsigned const* chain, std::uint64_t nodes, unsigned* sum) {
  unsigned mine = 0;
  for (std::uint64_t i = grid_index(); i < nodes; i += grid_size()) mine += __ldcg(chain + i * kLineWords);
  add_over_block(sum, mine);
}

/// Cycles of every step, so that near and far parts of the cache can be told apart.
__global__ void chase(unsigned const* chain, int warm, unsigned* end, unsigned short* cycles) {
  __shared__ unsigned short each[kSteps];
  __shared__ unsigned volatile visited[kSteps];
  unsigned at = 0;
  for (int i = 0; i < warm; ++i) at = chain[at];
  for (int i = 0; i < kSteps; ++i) {
    long long const begin = clock64();
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(chain + at));
    visited[i] = at;  // waits for the word, so that the second look at the clock comes after it
    each[i] = static_cast<unsigned short>(clock64() - begin);
  }
  *end = at;
  for (int i = 0; i < kSteps; ++i) cycles[i] = each[i];
}

enum class Hint { none, streaming, l2_only };

template <Hint hint>
__global__ void stream(uint4 const* __restrict__ x, std::size_t count, int passes, unsigned* sum) {
  unsigned mine = 0;
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 4
    for (std::size_t i = grid_index(); i < count; i += grid_size()) {
      uint4 const v = hint == Hint::streaming ? __ldcs(x + i) : hint == Hint::l2_only ? __ldcg(x + i) : x[i];
      mine += v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  add_over_block(sum, mine);
}

std::uint32_t expected_stream(std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += mixed(4 * i) ^ mixed(4 * i + 1) ^ mixed(4 * i + 2) ^ mixed(4 * i + 3);
  return sum;
}

struct Chase {
  double low, median, high;  // cycles: 10 %, 50 %, 90 % of the steps
};

Chase measure_chase(Gpu const& gpu, std::uint64_t nodes, Buffer<unsigned>& chain) {
  Buffer<unsigned> sum(gpu.session, 1), end(gpu.session, 1);
  Buffer<unsigned short> cycles(gpu.session, kSteps);
  make_chain<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(chain.get(), Cycle{nodes});
  check_launch("make_chain");
  touch<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(chain.get(), nodes, sum.get());
  check_launch("touch");
  // Up to the L1 cache's size the chain itself is walked first, by the thread that is timed.
  int const warm = nodes <= 4096 ? static_cast<int>(nodes) : 0;
  chase<<<1, 1, 0, gpu.session.stream>>>(chain.get(), warm, end.get(), cycles.get());
  check_launch("chase");
  Cycle const cycle{nodes};
  std::uint64_t at = 0;
  for (int i = 0; i < warm + kSteps; ++i) at = cycle.next(at);
  gpu.out.verify_equal("end of the chain, " + std::to_string(nodes) + " lines", end.download()[0],
                       at * kLineWords);
  auto each = cycles.download();
  std::sort(each.begin(), each.end());
  return {static_cast<double>(each[kSteps / 10]), static_cast<double>(each[kSteps / 2]),
          static_cast<double>(each[kSteps * 9 / 10])};
}

std::string size_text(double bytes) {
  return bytes < 1 << 20 ? brief(bytes / 1024) + " KB" : brief(bytes / (1 << 20)) + " MB";
}

/// The largest working set before the latency leaves the level that it has at `from`.
double knee(std::vector<std::pair<double, Chase>> const& sweep, double from) {
  double level = 0, last = from;
  for (auto const& [bytes, chase] : sweep) {
    if (bytes < from) continue;
    if (level == 0) level = chase.median;
    if (chase.median > 1.3 * level) break;
    last = bytes;
  }
  return last;
}

void chases(Gpu const& gpu) {
  double const l2 = static_cast<double>(gpu.figures.l2_bytes);
  std::uint64_t const most = gpu.choose(static_cast<std::size_t>(4 * l2) / 128, 1 << 13);
  Buffer<unsigned> chain(gpu.session, most * kLineWords);
  // As much L1 cache as there can be: the kernel's own shared memory is small.
  FINDRHO_CHECK(cudaFuncSetAttribute(chase, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     cudaSharedmemCarveoutMaxL1));
  std::vector<std::pair<double, Chase>> sweep;
  for (std::uint64_t base = 32; base <= most; base *= 2) {
    for (std::uint64_t const nodes : {base, base * 3 / 2}) {
      if (nodes > most) continue;
      Chase const c = measure_chase(gpu, nodes, chain);
      double const bytes = 128.0 * static_cast<double>(nodes);
      sweep.push_back({bytes, c});
      bool const in_l1 = bytes <= gpu.figures.shared_per_multiprocessor, in_l2 = bytes <= l2;
      gpu.out.row({.variant = "chase, " + size_text(bytes),
                   .values = {{"cycles", "", c.median},
                              {"10 %", "", c.low},
                              {"90 %", "", c.high},
                              {"bytes", "", bytes}},
                   .predicted = in_l1   ? 40.0
                                : in_l2 ? 270.0
                                        : 700.0,
                   .tolerance = 0.4,
                   .reason = in_l1   ? "fits the L1 cache"
                             : in_l2 ? "fits the L2 cache"
                                     : "memory",
                   .note = "near a cache's size a part of the lines is elsewhere: lines hash to sets, each "
                           "half of the L2 "
                           "keeps its own, and far halves answer later"});
    }
  }
  double const l1_knee = knee(sweep, 4096), l2_knee = knee(sweep, 2 * l1_knee);
  gpu.out.remark("knees: the L1 cache ends after " + size_text(l1_knee) + ", the L2 cache after " +
                 size_text(l2_knee) + " (the device reports " +
                 size_text(gpu.figures.shared_per_multiprocessor) + " of L1 and shared memory at most, and " +
                 size_text(l2) + " of L2)");
}

void streams(Gpu const& gpu) {
  double const l2 = static_cast<double>(gpu.figures.l2_bytes);
  std::size_t const most = gpu.choose(static_cast<std::size_t>(4 * l2) / 16, 1 << 16);
  Buffer<std::uint32_t> x(gpu.session, most * 4);
  Buffer<unsigned> sum(gpu.session, 1);
  gpu.fill_mixed(x.get(), x.count());
  double const dram = 0.9 * gpu.figures.memory_bytes_per_s;
  double const cycles = gpu.figures.multiprocessors * gpu.figures.clock_hz;
  auto const measure = [&](std::string const& variant, std::size_t count, double predicted,
                           std::string const& reason, auto const kernel) {
    int const passes =
        static_cast<int>(std::max<std::size_t>(2, (gpu.small ? 1 << 16 : std::size_t{1} << 26) / count));
    auto const launch = [&] {
      kernel<<<gpu.filling_blocks() / 2, 256, 0, gpu.session.stream>>>(
          reinterpret_cast<uint4 const*>(x.get()), count, passes, sum.get());
      check_launch("stream");
    };
    sum.fill(0);
    launch();
    gpu.out.verify_equal("sum, " + variant, sum.download()[0],
                         expected_stream(count) * static_cast<unsigned>(passes));
    double const rate = 16.0 * static_cast<double>(count) * passes / gpu.seconds(launch);
    gpu.out.row({.variant = variant,
                 .values = {{"read", "GB/s", rate / 1e9}, {"bytes", "", 16.0 * static_cast<double>(count)}},
                 .predicted = predicted / 1e9,
                 .tolerance = 0.5,
                 .reason = reason,
                 .note = "a small set gives each thread too little to read; one near a cache's size is in "
                         "part elsewhere"});
  };
  for (double const share : {1.0 / 16, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0}) {
    std::size_t const count = std::min(most, static_cast<std::size_t>(share * l2) / 16);
    double const bytes = 16.0 * static_cast<double>(count);
    double const l1_total = 256.0 * 1024 * gpu.figures.multiprocessors;  // of this generation
    double const predicted = bytes < l1_total ? 0.6 * 128 * cycles : bytes <= l2 ? 32 * cycles : dram;
    measure("stream, " + size_text(bytes), count, predicted,
            bytes < l1_total ? "every multiprocessor's share fits its L1 cache: a line a cycle at most"
            : bytes <= l2    ? "fits the L2 cache: a sector a cycle and multiprocessor"
                             : "larger than the L2 cache: memory",
            stream<Hint::none>);
    if (gpu.small) break;
  }
  std::size_t const half = std::min(most, static_cast<std::size_t>(0.5 * l2) / 16);
  measure("stream of half the L2, past the L1 (__ldcg)", half, 32 * cycles,
          "the L2 cache's own rate, a sector a cycle and multiprocessor", stream<Hint::l2_only>);
  measure("stream of half the L2, read once (__ldcs)", half, 0.6 * 128 * cycles,
          "evicted first, but nothing else wants the place: as without the hint", stream<Hint::streaming>);
}

/// A hot array is read between passes over a long one, which pushes it out of the L2 cache unless a window holds it.
void persistence(Gpu const& gpu) {
  std::size_t const hot = gpu.choose(static_cast<std::size_t>(gpu.figures.l2_bytes) / 4, 1 << 20) / 16;
  std::size_t const cold = gpu.choose(static_cast<std::size_t>(gpu.figures.l2_bytes) * 4, 4 << 20) / 16;
  Buffer<std::uint32_t> x(gpu.session, hot * 4), y(gpu.session, cold * 4);
  Buffer<unsigned> sum(gpu.session, 1);
  gpu.fill_mixed(x.get(), x.count());
  gpu.fill_mixed(y.get(), y.count());
  int most_window = 0;
  FINDRHO_CHECK(
      cudaDeviceGetAttribute(&most_window, cudaDevAttrMaxAccessPolicyWindowSize, gpu.session.device));
  std::size_t limit_before = 0;
  FINDRHO_CHECK(cudaDeviceGetLimit(&limit_before, cudaLimitPersistingL2CacheSize));
  auto const read = [&](Buffer<std::uint32_t> const& from, std::size_t count) {
    stream<Hint::none><<<gpu.filling_blocks() / 2, 256, 0, gpu.session.stream>>>(
        reinterpret_cast<uint4 const*>(from.get()), count, 1, sum.get());
    check_launch("stream");
  };
  double rates[2];
  for (int const window : {0, 1}) {
    cudaLaunchAttributeValue policy{};
    if (window == 1) {
      FINDRHO_CHECK(
          cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize,
                             std::min<std::size_t>(hot * 16 * 2, static_cast<std::size_t>(most_window))));
      policy.accessPolicyWindow.base_ptr = x.get();
      policy.accessPolicyWindow.num_bytes =
          std::min<std::size_t>(hot * 16, static_cast<std::size_t>(most_window));
      policy.accessPolicyWindow.hitRatio = 1;
      policy.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
      policy.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
      FINDRHO_CHECK(
          cudaStreamSetAttribute(gpu.session.stream, cudaLaunchAttributeAccessPolicyWindow, &policy));
    }
    sum.fill(0);
    read(x, hot);
    gpu.out.verify_equal("sum of the hot array", sum.download()[0], expected_stream(hot));
    std::vector<double> times;
    for (int run = 0; run < gpu.runs(); ++run) {
      read(y, cold);
      Event begin, end;
      begin.record(gpu.session.stream);
      read(x, hot);
      end.record(gpu.session.stream);
      times.push_back(end.seconds_since(begin));
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    rates[window] = 16.0 * static_cast<double>(hot) / times[times.size() / 2];
    policy.accessPolicyWindow.num_bytes = 0;
    FINDRHO_CHECK(cudaStreamSetAttribute(gpu.session.stream, cudaLaunchAttributeAccessPolicyWindow, &policy));
    FINDRHO_CHECK(cudaCtxResetPersistingL2Cache());
  }
  FINDRHO_CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, limit_before));
  for (int const window : {0, 1}) {
    gpu.out.row(
        {.variant = std::string("a quarter of the L2, after a pass over four L2s, ") +
                    (window == 1 ? "persisting window" : "no window"),
         .values = {{"read", "GB/s", rates[window] / 1e9}},
         .predicted = (window == 1 ? 1.5 * rates[0] : 0.7 * gpu.figures.memory_bytes_per_s) / 1e9,
         .tolerance = 0.6,
         .reason = window == 1 ? "the window's lines are evicted last" : "the long array pushed it out",
         .note = "a pass of a few microseconds is mostly its launch and its first answers"});
  }
}

}  // namespace

double measure_l2_rate(Gpu const& gpu) {
  std::size_t const count = gpu.choose(static_cast<std::size_t>(gpu.figures.l2_bytes) / 3, 1 << 20) / 16;
  Buffer<std::uint32_t> x(gpu.session, count * 4);
  Buffer<unsigned> sum(gpu.session, 1);
  gpu.fill_mixed(x.get(), x.count());
  int const passes = gpu.small ? 2 : 40;
  auto const launch = [&] {
    stream<Hint::l2_only><<<gpu.filling_blocks() / 2, 256, 0, gpu.session.stream>>>(
        reinterpret_cast<uint4 const*>(x.get()), count, passes, sum.get());
    check_launch("stream");
  };
  sum.fill(0);
  launch();
  gpu.out.verify_equal("sum of a third of the L2", sum.download()[0],
                       expected_stream(count) * static_cast<unsigned>(passes));
  return 16.0 * static_cast<double>(count) * passes / gpu.seconds(launch);
}

void gpu_cache_sweep(Gpu const& gpu) {
  chases(gpu);
  streams(gpu);
  persistence(gpu);
  gpu.out.advice(
      "make the working set of a block fit the L1 cache and that of the launch fit half of the L2");
}

}  // namespace findrho
