// SPDX-License-Identifier: BSD-3-Clause
// Constant memory: one read serves a warp when all lanes want the same word; different words are read one after the
// other. Beside it, the same reads from global memory through the L1 cache. One block, timed in cycles.
#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kMost = 16384, kThreads = 256, kSteps = 2048;
__constant__ unsigned kTable[kMost];

struct FromConstant {
  __device__ unsigned operator()(unsigned i) const { return kTable[i]; }
};
struct FromGlobal {
  unsigned const* table;
  __device__ unsigned operator()(unsigned i) const { return table[i]; }
};

/// Step s of a lane reads word (s + 61 (lane mod distinct)) mod count.
FINDRHO_HD unsigned start(unsigned lane, unsigned distinct, unsigned count) {
  return 61 * (lane % distinct) % count;
}

template <class Table>
__global__ void __launch_bounds__(kThreads)
    read_table(Table table, unsigned count, unsigned distinct, unsigned* sum, long long* cycles) {
  unsigned mine = 0, i = start(threadIdx.x % 32, distinct, count);
  __syncthreads();
  long long const begin = clock64();
#pragma unroll 8
  for (int step = 0; step < kSteps; ++step) {
    mine += table(i);
    ++i;
    i = i == count ? 0 : i;
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  add_over_block(sum, mine);
}

std::uint32_t expected_sum(unsigned count, unsigned distinct) {
  std::uint32_t sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned i = start(lane, distinct, count);
    for (int step = 0; step < kSteps; ++step) sum += mixed((i + static_cast<unsigned>(step)) % count);
  }
  return sum * (kThreads / 32);
}

}  // namespace

void gpu_constant(Gpu const& gpu) {
  Buffer<std::uint32_t> table(gpu.session, kMost);
  gpu.fill_mixed(table.get(), kMost);
  FINDRHO_CHECK(cudaMemcpyToSymbolAsync(kTable, table.get(), sizeof(kTable), 0, cudaMemcpyDeviceToDevice,
                                        gpu.session.stream));
  Buffer<unsigned> sum(gpu.session, 1);
  Buffer<long long> cycles(gpu.session, 1);
  auto const measure = [&](std::string const& variant, unsigned count, unsigned distinct, double predicted,
                           double tolerance, std::string const& reason, std::string const& note,
                           auto const& from) {
    std::vector<double> samples;
    for (int run = 0; run < (gpu.once ? 1 : 5); ++run) {
      sum.fill(0);
      read_table<<<1, kThreads, 0, gpu.session.stream>>>(from, count, distinct, sum.get(), cycles.get());
      check_launch("read_table");
      if (run == 0) gpu.out.verify_equal("sum, " + variant, sum.download()[0], expected_sum(count, distinct));
      samples.push_back(static_cast<double>(cycles.download()[0]) / (kSteps * (kThreads / 32)));
    }
    std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2),
                     samples.end());
    gpu.out.row({.variant = variant,
                 .values = {{"cycles per warp's read", "", samples[samples.size() / 2]}},
                 .predicted = predicted,
                 .tolerance = tolerance,
                 .reason = reason,
                 .note = note});
    return samples[samples.size() / 2];
  };
  double one_1000 = 0, all_1000 = 0, ten = 0;
  std::string const pace = "the address arithmetic of the loop and the pace of the constant unit add to it";
  for (unsigned const count : {10u, 1000u, 16384u}) {
    double const t = measure(
        "constant, " + std::to_string(count) + " floats, one index", count, 1, 2, 1.0,
        "broadcast: one read serves the warp, about two cycles with its address",
        count == 16384 ? "64 KB do not fit the constant cache of a few KB; misses go to the L2" : pace,
        FromConstant{});
    (count == 10 ? ten : count == 1000 ? one_1000 : all_1000) = t;
  }
  for (unsigned const distinct : {2u, 4u, 8u, 16u, 32u}) {
    all_1000 = measure("constant, 1000 floats, " + std::to_string(distinct) + " different indices", 1000,
                       distinct, distinct * one_1000, 0.6,
                       "one read after the other: " + std::to_string(distinct) + " times the broadcast", pace,
                       FromConstant{});
  }
  double const global_one =
      measure("global, 1000 floats, one index", 1000, 1, 4, 0.6,
              "the L1 cache broadcasts too, after a look at its tags and with an address of 64 bits", pace,
              FromGlobal{table.get()});
  double const global_all = measure(
      "global, 1000 floats, 32 different indices", 1000, 32, 4 * global_one, 1.5,
      "the words lie in different lines, a few of which are read at a time", pace, FromGlobal{table.get()});
  gpu.out.answer("Constant memory for 1000 floats with one index? Yes: " + brief(one_1000) +
                 " cycles a read (global " + brief(global_one) +
                 "). With lane-dependent indices? No: " + brief(all_1000) + " cycles (global " +
                 brief(global_all) + "). For ten parameters? " + brief(ten) +
                 " cycles; kernel parameters lie in constant memory anyway, so pass them as such.");
  gpu.out.advice(
      "constant memory is for what all lanes read at the same index; anything else goes through the L1 "
      "cache");
}

}  // namespace findrho
