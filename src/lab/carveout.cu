// SPDX-License-Identifier: BSD-3-Clause
// Carve-out: how the memory of a multiprocessor is split between shared memory and L1 cache, and how many blocks then
// fit at a time. The textbook divides; the device has fixed steps and takes 1 KB for itself from every block.
#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kThreads = 32;
constexpr int kSteps[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};  // KB, of compute capability 9.0
constexpr int kSumsBytes = 128;  // of add_over_block: they count as the block's

/// Counts the blocks that are on a multiprocessor at a time.
__global__ void __launch_bounds__(kThreads) count_residents(int* now, int* most, unsigned* sum) {
  extern __shared__ unsigned scratch[];
  unsigned processor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  scratch[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) {
    int const here = atomicAdd(now + processor, 1) + 1;
    atomicMax(most, here);
    long long const begin = clock64();
    while (clock64() - begin < 100'000) {  // about 50 us: longer than it takes to hand out the blocks
    }
    atomicSub(now + processor, 1);
  }
  add_over_block(sum, scratch[31 - threadIdx.x]);
}

int count(Gpu const& gpu, int split_kb, int block_kb) {
  int const total_kb = gpu.figures.shared_per_multiprocessor / 1024;
  int const dynamic = block_kb * 1024 - kSumsBytes;
  FINDRHO_CHECK(cudaFuncSetAttribute(count_residents, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic));
  FINDRHO_CHECK(cudaFuncSetAttribute(count_residents, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     split_kb * 100 / total_kb));
  Buffer<int> now(gpu.session, 1024), most(gpu.session, 1);
  Buffer<unsigned> sum(gpu.session, 1);
  now.fill(0);
  most.fill(0);
  sum.fill(0);
  unsigned const blocks =
      static_cast<unsigned>(gpu.figures.multiprocessors * gpu.figures.blocks_per_multiprocessor * 2);
  count_residents<<<blocks, kThreads, static_cast<std::size_t>(dynamic), gpu.session.stream>>>(
      now.get(), most.get(), sum.get());
  check_launch("count_residents");
  gpu.out.verify_equal("sum over the blocks", sum.download()[0], blocks * (31u * 32u / 2));
  return most.download()[0];
}

}  // namespace

void gpu_carveout(Gpu const& gpu) {
  int const reserved_kb = gpu.figures.shared_reserved_per_block / 1024;
  int const most_blocks = gpu.figures.blocks_per_multiprocessor;
  int const total_kb = gpu.figures.shared_per_multiprocessor / 1024;
  std::string answer;
  std::vector<int> const splits = gpu.figures.compute_major >= 9
                                      ? std::vector{16, 32, 64, 100, 112, 132, 164, 196, 228}
                                      : std::vector{16, 32, 64, 100};
  for (int const split_kb : splits) {
    for (int const block_kb : {4, 8, 16, 32, 64, gpu.figures.shared_per_block / 1024}) {
      if (block_kb + reserved_kb > split_kb) continue;
      // The device takes the wish without what it reserves: it finds room for as many blocks as the textbook has,
      // in the smallest of its steps.
      int const wish_kb = split_kb * 100 / total_kb * total_kb / 100;
      int const need_kb = wish_kb / block_kb * (block_kb + reserved_kb);
      int const step_kb =
          *std::lower_bound(std::begin(kSteps), std::end(kSteps) - 1, std::max(need_kb, wish_kb));
      int const predicted = std::min(most_blocks, step_kb / (block_kb + reserved_kb));
      int const textbook = split_kb / block_kb;
      int const measured = count(gpu, split_kb, block_kb);
      gpu.out.row(
          {.variant = std::to_string(split_kb) + " KB shared, blocks of " + std::to_string(block_kb) + " KB",
           .values = {{"blocks", "", static_cast<double>(measured)},
                      {"textbook", "", static_cast<double>(textbook)}},
           .predicted = static_cast<double>(predicted),
           .tolerance = 0.01,
           .reason = "the step of " + std::to_string(step_kb) + " KB / (block + " +
                     std::to_string(reserved_kb) + " KB reserved), at most " + std::to_string(most_blocks),
           .note = "the split is a wish, and the steps are those of another generation"});
      if (block_kb == 4 && (split_kb == 64 || split_kb == 112)) {
        answer += (answer.empty() ? "" : "; ") + std::to_string(split_kb) + " KB: textbook " +
                  std::to_string(textbook) + ", this device " + std::to_string(measured);
      }
    }
  }
  gpu.out.answer("Blocks a multiprocessor with 4 KB of shared memory each under two splits? " + answer + ".");
  gpu.out.advice("count " + std::to_string(reserved_kb) +
                 " KB more for every block, and ask for the split that your blocks fill");
}

}  // namespace findrho
