// SPDX-License-Identifier: BSD-3-Clause
// The CPU's ceiling of arithmetic: fused multiply-adds in the widest vectors, in enough chains to hide their latency.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lab/cpu_arithmetic.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h
#include <hwy/highway.h>

#include <cmath>

#include "lab/cpu.hpp"

HWY_BEFORE_NAMESPACE();
namespace findrho::HWY_NAMESPACE {

constexpr int kChains = 12;  // two units, latency 4, and some to spare; 12 vectors fit every register file

int Lanes() {
  return static_cast<int>(hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<float>()));
}

/// v <- v * 0.75 + 0.125 in 12 vectors, which start at c / 16 in chain c; returns their sum's first lane.
float Chains(std::int64_t steps) {
  namespace hn = hwy::HWY_NAMESPACE;
  hn::ScalableTag<float> const d;
  auto const factor = hn::Set(d, 0.75f), term = hn::Set(d, 0.125f);
  auto v0 = hn::Set(d, 0.0f / 16), v1 = hn::Set(d, 1.0f / 16), v2 = hn::Set(d, 2.0f / 16),
       v3 = hn::Set(d, 3.0f / 16);
  auto v4 = hn::Set(d, 4.0f / 16), v5 = hn::Set(d, 5.0f / 16), v6 = hn::Set(d, 6.0f / 16),
       v7 = hn::Set(d, 7.0f / 16);
  auto v8 = hn::Set(d, 8.0f / 16), v9 = hn::Set(d, 9.0f / 16), v10 = hn::Set(d, 10.0f / 16),
       v11 = hn::Set(d, 11.0f / 16);
  for (std::int64_t s = 0; s < steps; ++s) {
    v0 = hn::MulAdd(v0, factor, term), v1 = hn::MulAdd(v1, factor, term), v2 = hn::MulAdd(v2, factor, term);
    v3 = hn::MulAdd(v3, factor, term), v4 = hn::MulAdd(v4, factor, term), v5 = hn::MulAdd(v5, factor, term);
    v6 = hn::MulAdd(v6, factor, term), v7 = hn::MulAdd(v7, factor, term), v8 = hn::MulAdd(v8, factor, term);
    v9 = hn::MulAdd(v9, factor, term), v10 = hn::MulAdd(v10, factor, term),
    v11 = hn::MulAdd(v11, factor, term);
  }
  auto const low = hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), hn::Add(v4, v5));
  auto const high = hn::Add(hn::Add(hn::Add(v6, v7), hn::Add(v8, v9)), hn::Add(v10, v11));
  return hn::GetLane(hn::Add(low, high));
}

}  // namespace findrho::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace findrho {
HWY_EXPORT(Lanes);
HWY_EXPORT(Chains);

int cpu_vector_lanes() {
  return HWY_DYNAMIC_DISPATCH(Lanes)();
}

double cpu_multiply_add_rate(Cpu const& cpu) {
  constexpr int kChainCount = 12;
  auto const run = [&](std::int64_t steps) {
    std::vector<float> results(static_cast<std::size_t>(cpu.threads()));
    cpu.context.pool().each(cpu.threads(), [&](std::int64_t t) {
      results[static_cast<std::size_t>(t)] = HWY_DYNAMIC_DISPATCH(Chains)(steps);
    });
    return results.front();
  };
  double expected = 0;
  constexpr int kFewSteps = 9;
  for (int c = 0; c < kChainCount; ++c) {
    double v = c / 16.0;
    for (int s = 0; s < kFewSteps; ++s) v = v * 0.75 + 0.125;
    expected += v;
  }
  // Twelve chains of values below 1, each rounded twice a step where there is no fused form, and their sum's 11 additions
  // of up to 8.
  cpu.out.verify("sum of the chains", std::abs(run(kFewSteps) - expected),
                 12 * 2 * kFewSteps * 6e-8 + 11 * 8 * 6e-8);
  std::int64_t const steps = cpu.small ? 1 << 10 : 1 << 24;
  double const t = cpu.seconds([&] { run(steps); });
  return 2.0 * kChainCount * static_cast<double>(steps) * cpu_vector_lanes() * cpu.threads() / t;
}

double cpu_cycle_rate(Cpu const& cpu) {
  // Marsaglia's xorshift (2003): three shifts and three exclusive ors, each of one cycle, each waiting for the one before.
  auto const run = [](std::int64_t steps) {
    std::uint32_t h = 1;
    for (std::int64_t s = 0; s < steps; ++s) h ^= h << 13, h ^= h >> 17, h ^= h << 5;
    return h;
  };
  cpu.out.verify_equal("first xorshift after 1", run(1), 270369);
  std::int64_t const steps = cpu.small ? 1 << 10 : 1 << 23;
  std::vector<std::uint32_t> ends(static_cast<std::size_t>(cpu.threads()));
  double const t = cpu.seconds([&] {
    cpu.context.pool().each(
        cpu.threads(), [&](std::int64_t thread) { ends[static_cast<std::size_t>(thread)] = run(steps); });
  });
  return 6.0 * static_cast<double>(steps) * cpu.threads() / t;
}

void cpu_arithmetic(Cpu const& cpu) {
  double const rate = cpu_multiply_add_rate(cpu);
  int const lanes = cpu_vector_lanes();
  cpu.out.row(
      {.variant = "FP32 multiply-add, vectors of " + std::to_string(lanes),
       .values = {{"rate", "GFLOP/s", rate / 1e9}, {"a thread", "GFLOP/s", rate / 1e9 / cpu.threads()}},
       .predicted = 2.0 * 2 * lanes * 3.0 * cpu.threads(),
       .tolerance = 0.7,
       .reason = "two multiply-add units a core at about 3 GHz",
       .note = "the clock, one unit instead of two, or two threads that share a core"});
  cpu.out.advice("arithmetic is free until the loop does it " + brief(rate / cpu_copy_rate(cpu)) +
                 " times for every byte it moves");
}

void cpu_roofline(Cpu const& cpu) {
  double const memory = cpu_copy_rate(cpu), cache = cpu_cache_rate(cpu),
               arithmetic = cpu_multiply_add_rate(cpu);
  cpu.out.row({.variant = "DRAM",
               .values = {{"ceiling", "GB/s", memory / 1e9}},
               .reason = "a copy, read and written (access)"});
  cpu.out.row({.variant = "L2",
               .values = {{"ceiling", "GB/s", cache / 1e9}},
               .reason = "half of the second-level cache of each core (cache-sweep)"});
  cpu.out.row({.variant = "FP32",
               .values = {{"ceiling", "GFLOP/s", arithmetic / 1e9}},
               .reason = "multiply-adds (arithmetic)"});
  cpu.out.advice(
      "divide a loop's operations by its bytes, find the roof above that number, and see how far below it "
      "the loop is");
}

}  // namespace findrho
#endif
