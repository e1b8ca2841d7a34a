// SPDX-License-Identifier: BSD-3-Clause
// Persistent blocks: a grid that just fills the device and walks over the tiles, copying the next ones ahead into
// shared memory, against one block a tile. Where enough blocks are resident, they already hide each other's waits.
#include <cuda_pipeline.h>

#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kThreads = 256, kTile = kThreads * 4;  // floats

/// Some arithmetic on what was read: 8 multiply-adds.
FINDRHO_HD float work(float v) {
  float r = v;
  for (int i = 0; i < 8; ++i) r = r * 0.5f + v;  // halving is exact, so fused or not gives the same
  return r;
}
__device__ float4 work(float4 v) {
  return make_float4(work(v.x), work(v.y), work(v.z), work(v.w));
}

__global__ void __launch_bounds__(kThreads)
    block_a_tile(float4 const* __restrict__ in, float4* __restrict__ out) {
  std::size_t const i = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  out[i] = work(in[i]);
}

__global__ void __launch_bounds__(kThreads)
    persistent_plain(float4 const* __restrict__ in, float4* __restrict__ out, std::size_t tiles) {
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    std::size_t const i = tile * kThreads + threadIdx.x;
    out[i] = work(in[i]);
  }
}

/// Each thread reads back only what it copied itself, so no barrier is needed.
template <int Stages>
__global__ void __launch_bounds__(kThreads)
    persistent_ahead(float4 const* __restrict__ in, float4* __restrict__ out, std::size_t tiles) {
  __shared__ float4 stage[Stages][kThreads];
  auto const copy = [&](std::size_t tile, int s) {
    if (tile < tiles)
      __pipeline_memcpy_async(&stage[s][threadIdx.x], in + tile * kThreads + threadIdx.x, sizeof(float4));
    __pipeline_commit();  // an empty group keeps the count
  };
#pragma unroll
  for (int s = 0; s < Stages - 1; ++s) copy(blockIdx.x + static_cast<std::size_t>(s) * gridDim.x, s);
  int s = 0;
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    copy(tile + (Stages - 1) * std::size_t{gridDim.x}, (s + Stages - 1) % Stages);
    __pipeline_wait_prior(Stages - 1);
    out[tile * kThreads + threadIdx.x] = work(stage[s][threadIdx.x]);
    s = (s + 1) % Stages;
  }
}

}  // namespace

void gpu_persistent(Gpu const& gpu) {
  std::size_t const tiles = gpu.choose(1 << 16, 1 << 9), count = tiles * kTile;
  Buffer<float> in(gpu.session, count), out(gpu.session, count);
  gpu.fill_mixed(in.get(), count);
  auto const* const from = reinterpret_cast<float4 const*>(in.get());
  auto* const to = reinterpret_cast<float4*>(out.get());
  double const rate = gpu.copy_rate();
  std::vector<float> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = work(mixed_float(i));
  auto const measure = [&](std::string const& variant, double share, std::string const& reason,
                           auto const& launch) {
    out.fill(0xff);
    launch();
    auto const result = out.download();
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += result[i] != expected[i] ? 1 : 0;
    gpu.out.verify_equal("wrong elements, " + variant, wrong, 0);
    double const measured = 8.0 * static_cast<double>(count) / gpu.seconds(launch);
    gpu.out.row(
        {.variant = variant,
         .values = {{"read and written", "GB/s", measured / 1e9}, {"of the copy", "", measured / rate}},
         .predicted = share * rate / 1e9,
         .tolerance = 0.3,
         .reason = reason,
         .note = "a thread loads, waits, computes and stores before it loads again: most of that time it has "
                 "nothing in flight"});
    return measured;
  };
  auto const resident = [&](int per_multiprocessor) {
    return gpu.figures.multiprocessors * per_multiprocessor;
  };
  // Bytes in flight that memory needs: rate times latency, over the multiprocessors.
  double const needed = 0.5 * rate * 650 / gpu.figures.clock_hz / gpu.figures.multiprocessors;
  auto const share = [&](int blocks, int stages) {
    return std::min(1.0, blocks * stages * kThreads * 16.0 / needed);
  };
  measure("one block a tile", 1, "eight blocks a multiprocessor wait in turn", [&] {
    block_a_tile<<<static_cast<unsigned>(tiles), kThreads, 0, gpu.session.stream>>>(from, to);
    check_launch("block_a_tile");
  });
  double plain2 = 0, ahead2 = 0;
  for (int const blocks : {8, 2}) {
    std::string const where = std::to_string(blocks) + " blocks a multiprocessor";
    std::string const flight = "in flight: " + std::to_string(blocks * kThreads * 16 / 1024) +
                               " KB a stage and multiprocessor; memory needs " + brief(needed / 1024) + " KB";
    double const plain = measure("persistent, " + where, share(blocks, 1), flight, [&] {
      persistent_plain<<<resident(blocks), kThreads, 0, gpu.session.stream>>>(from, to, tiles);
      check_launch("persistent_plain");
    });
    measure("persistent, 2 stages ahead, " + where, share(blocks, 2), flight, [&] {
      persistent_ahead<2><<<resident(blocks), kThreads, 0, gpu.session.stream>>>(from, to, tiles);
      check_launch("persistent_ahead<2>");
    });
    double const ahead = measure("persistent, 4 stages ahead, " + where, share(blocks, 4), flight, [&] {
      persistent_ahead<4><<<resident(blocks), kThreads, 0, gpu.session.stream>>>(from, to, tiles);
      check_launch("persistent_ahead<4>");
    });
    plain2 = plain;
    ahead2 = ahead;
  }
  gpu.out.advice(
      "at full occupancy copying ahead gives little; with 2 blocks a multiprocessor (large tiles, many "
      "registers) it gave " +
      brief(ahead2 / plain2) + " times the rate");
}

}  // namespace findrho
