// SPDX-License-Identifier: BSD-3-Clause
// Registers: fewer a thread let more warps stay on a multiprocessor, until the values no longer fit and move to local
// memory. The kernel needs about 75: 64 sums that depend on their neighbours.
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kSums = 64, kThreads = 128;

FINDRHO_HD float step(float own, float next) {
  return fmaf(0.25f, next - own, own);
}

/// MinBlocks blocks must fit a multiprocessor: that caps the registers.
template <int MinBlocks>
__global__ void __launch_bounds__(kThreads, MinBlocks) smooth(float* out, int steps) {
  int const i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  float sum[kSums];
#pragma unroll
  for (int j = 0; j < kSums; ++j) sum[j] = mixed_float(static_cast<std::uint64_t>(i) * kSums + j);
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int j = 0; j < kSums; ++j) sum[j] = step(sum[j], sum[(j + 1) % kSums]);
  }
  float total = 0;
#pragma unroll
  for (int j = 0; j < kSums; ++j) total += sum[j];
  out[i] = total;
}

float expected(int i, int steps) {
  float sum[kSums];
  for (int j = 0; j < kSums; ++j)
    sum[j] = mixed_float(static_cast<std::uint64_t>(i) * kSums + static_cast<std::uint64_t>(j));
  for (int s = 0; s < steps; ++s) {
    for (int j = 0; j < kSums; ++j) sum[j] = step(sum[j], sum[(j + 1) % kSums]);
  }
  float total = 0;
  for (float const v : sum) total += v;
  return total;
}

struct Capped {
  int min_blocks;
  void (*kernel)(float*, int);
};

}  // namespace

void gpu_registers(Gpu const& gpu) {
  int const blocks = gpu.figures.multiprocessors * (gpu.small ? 1 : 64), steps = gpu.small ? 8 : 256;
  std::size_t const count = static_cast<std::size_t>(blocks) * kThreads;
  Buffer<float> out(gpu.session, count);
  std::string cliff;
  for (Capped const& c :
       {Capped{1, smooth<1>}, Capped{4, smooth<4>}, Capped{6, smooth<6>}, Capped{8, smooth<8>},
        Capped{10, smooth<10>}, Capped{12, smooth<12>}, Capped{16, smooth<16>}}) {
    cudaFuncAttributes attributes{};
    FINDRHO_CHECK(cudaFuncGetAttributes(&attributes, c.kernel));
    int resident = 0;
    FINDRHO_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, c.kernel, kThreads, 0));
    int const cap = gpu.figures.registers_per_multiprocessor / (c.min_blocks * kThreads) / 8 * 8;
    std::string const variant = "cap of " + std::to_string(std::min(cap, 255)) + " registers";
    auto const launch = [&] {
      c.kernel<<<blocks, kThreads, 0, gpu.session.stream>>>(out.get(), steps);
      check_launch("smooth");
    };
    out.fill(0xff);
    launch();
    auto const result = out.download();
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < count; i += count / 64 + 1)
      wrong += result[i] != expected(static_cast<int>(i), steps) ? 1 : 0;
    gpu.out.verify_equal("wrong sums, " + variant, wrong, 0);
    double const rate = 2.0 * kSums * steps * static_cast<double>(count) / gpu.seconds(launch);
    double const peak = 128.0 * gpu.figures.multiprocessors * gpu.figures.clock_hz;
    bool const spills = attributes.localSizeBytes > 0;
    // A warp's step: 2 x 64 instructions, four a cycle; a load and a store of each spilled value, one a cycle.
    double const arithmetic_cycles = 2.0 * kSums / 4;
    double const spill_cycles = static_cast<double>(attributes.localSizeBytes) / 2;
    if (spills && cliff.empty())
      cliff = variant + " (" + std::to_string(attributes.localSizeBytes) + " bytes of local memory a thread)";
    gpu.out.row(
        {.variant = variant,
         .values = {{"instructions", "1e12/s", rate / 1e12},
                    {"registers", "", static_cast<double>(attributes.numRegs)},
                    {"local memory", "bytes", static_cast<double>(attributes.localSizeBytes)},
                    {"occupancy", "",
                     static_cast<double>(resident) * kThreads / gpu.figures.threads_per_multiprocessor}},
         .predicted = peak / 1e12 * (spills ? std::min(0.9, arithmetic_cycles / spill_cycles) : 0.9),
         .tolerance = 0.5,
         .reason = spills ? "each spilled value costs a load and a store a step, of which the L1 cache takes "
                            "one a cycle"
                          : "nothing spills; the chains of 64 sums hide the latency at any occupancy",
         .note = "the L1 cache answers a line a cycle, which the spills of all warps share"});
  }
  gpu.out.remark("the cliff: " + (cliff.empty() ? "none; the compiler kept all values in registers"
                                                : "local memory begins at a " + cliff));
  gpu.out.advice(
      "look at the compiler's spills before you cap registers: occupancy that is bought with local memory is "
      "a loss");
}

}  // namespace findrho
