// SPDX-License-Identifier: BSD-3-Clause
// Bank conflicts: shared memory has 32 banks of one word. Lanes that want different words of one bank wait for each
// other; lanes that want the same word do not.
#include <numeric>

#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kReads = 512, kThreads = 1024, kWords = 32 * 33;

/// Every lane reads the same word again and again; volatile, so that no read is left out.
__global__ void __launch_bounds__(kThreads) read_shared(int stride, unsigned* sum, long long* cycles) {
  __shared__ unsigned tile[kWords];
  for (int i = static_cast<int>(threadIdx.x); i < kWords; i += kThreads)
    tile[i] = mixed(static_cast<unsigned>(i));
  __syncthreads();
  auto const address =
      static_cast<unsigned>(__cvta_generic_to_shared(&tile[static_cast<int>(threadIdx.x % 32) * stride]));
  unsigned mine = 0;
  long long const begin = clock64();
#pragma unroll 16
  for (int i = 0; i < kReads; ++i) {
    unsigned word;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    mine += word;
  }
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = clock64() - begin;
  add_over_block(sum, mine);
}

/// 16 bytes a lane, no conflicts: the most that shared memory gives.
__global__ void __launch_bounds__(kThreads) read_shared_wide(int reads, unsigned* sum) {
  __shared__ uint4 tile[kThreads];
  unsigned const w = mixed(threadIdx.x);
  tile[threadIdx.x] = make_uint4(w, w + 1, w + 2, w + 3);
  __syncthreads();
  auto const address = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  unsigned mine = 0;
#pragma unroll 16
  for (int i = 0; i < reads; ++i) {
    uint4 v;
    asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address));
    mine += v.x ^ v.y ^ v.z ^ v.w;
  }
  add_over_block(sum, mine);
}

struct Case {
  std::string variant;
  int stride;
};

}  // namespace

double measure_shared_rate(Gpu const& gpu) {
  Buffer<unsigned> sum(gpu.session, 1);
  int const blocks = gpu.figures.multiprocessors * 2, reads = gpu.small ? 16 : 4096;
  auto const launch = [&] {
    read_shared_wide<<<blocks, kThreads, 0, gpu.session.stream>>>(reads, sum.get());
    check_launch("read_shared_wide");
  };
  sum.fill(0);
  launch();
  std::uint32_t expected = 0;
  for (unsigned t = 0; t < kThreads; ++t) {
    std::uint32_t const w = mixed(t);
    expected +=
        (w ^ (w + 1) ^ (w + 2) ^ (w + 3)) * static_cast<unsigned>(reads) * static_cast<unsigned>(blocks);
  }
  gpu.out.verify_equal("sum of shared words", sum.download()[0], expected);
  return 16.0 * reads * kThreads * blocks / gpu.seconds(launch);
}

void gpu_banks(Gpu const& gpu) {
  Buffer<unsigned> sum(gpu.session, 1);
  Buffer<long long> cycles(gpu.session, 1);
  std::vector<Case> cases{{"all lanes one word (broadcast)", 0}};
  for (int stride = 1; stride <= 33; ++stride) {
    if (gpu.small && stride > 2 && stride < 32) continue;  // race checkers take their time for each read
    std::string name = "stride " + std::to_string(stride);
    if (stride == 1) name += ", a row of [32][32]";
    if (stride == 32) name += ", a column of [32][32]";
    if (stride == 33) name += ", a column of [32][33]";
    cases.push_back({name, stride});
  }
  std::string columns;
  for (Case const& c : cases) {
    sum.fill(0);
    auto const launch = [&] {
      read_shared<<<1, kThreads, 0, gpu.session.stream>>>(c.stride, sum.get(), cycles.get());
      check_launch("read_shared");
    };
    launch();
    std::uint32_t expected = 0;
    for (int lane = 0; lane < 32; ++lane)
      expected += mixed(static_cast<unsigned>(lane * c.stride)) * kReads * (kThreads / 32);
    gpu.out.verify_equal("sum, " + c.variant, sum.download()[0], expected);
    std::vector<double> samples;
    for (int run = 0; run < (gpu.once ? 1 : 5); ++run) {
      launch();
      samples.push_back(static_cast<double>(cycles.download()[0]) / (kReads * (kThreads / 32)));
    }
    std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2),
                     samples.end());
    int const ways = c.stride == 0 ? 1 : std::gcd(c.stride, 32);
    gpu.out.row({.variant = c.variant,
                 .values = {{"cycles per warp's read", "", samples[samples.size() / 2]}},
                 .predicted = static_cast<double>(ways),
                 .reason = c.stride == 0
                               ? "one word is read once and handed to all"
                               : std::to_string(ways) +
                                     " lanes share a bank (greatest common divisor of stride and 32)"});
    if (c.stride == 1 || c.stride >= 32)
      columns += (columns.empty() ? "" : ", ") + c.variant + ": " + brief(samples[samples.size() / 2]);
  }
  gpu.out.answer("Do [32][32] by column, by row, and [32][33] by column conflict? Cycles per warp's read: " +
                 columns + ".");
  gpu.out.advice("an odd row length gives every lane of a column a bank of its own");
}

}  // namespace findrho
