// SPDX-License-Identifier: BSD-3-Clause
// A sliding window of 17 and a 3x3 filter, edges clamped: every value is read 17 or 9 times. Where the caches serve
// that, a shared tile changes little; weights in constant memory cost no read at all.
#include "lab/bodies.hpp"
#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kRadius = 8, kBlock = 256;
__constant__ float kWeights[9];

struct ConstantWeights {
  FINDRHO_HD float operator[](int i) const {
#if defined(__CUDA_ARCH__)
    return kWeights[i];
#else
    return static_cast<float>(i);  // never called on the host: constant memory is the device's
#endif
  }
};
struct GlobalWeights {
  float const* weights;
  FINDRHO_HD float operator[](int i) const { return weights[i]; }
};

__global__ void __launch_bounds__(kBlock)
    window_direct(float const* __restrict__ in, float* __restrict__ out, int n) {
  int const i = static_cast<int>(grid_index());
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int d = -kRadius; d <= kRadius; ++d) sum += in[clamped(i + d, n)];
  out[i] = sum;
}

/// Four results a thread: more reads are on their way at a time.
constexpr int kLong = 4 * kBlock;
__global__ void __launch_bounds__(kBlock)
    window_shared(float const* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[kLong + 2 * kRadius];
  int const first = static_cast<int>(blockIdx.x) * kLong, t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = t; i < kLong + 2 * kRadius; i += kBlock) tile[i] = in[clamped(first + i - kRadius, n)];
  __syncthreads();
#pragma unroll
  for (int i = t; i < kLong; i += kBlock) {
    float sum = 0;
#pragma unroll
    for (int d = 0; d <= 2 * kRadius; ++d) sum += tile[i + d];
    if (first + i < n) out[first + i] = sum;
  }
}

template <class Weights>
__global__ void __launch_bounds__(kBlock) filter_direct(float const* __restrict__ in, float* __restrict__ out,
                                                        int width, int height, Weights weight) {
  int const x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 3; ++dx) {
      sum += weight[3 * dy + dx] *
             in[static_cast<std::size_t>(clamped(y + dy - 1, height)) * width + clamped(x + dx - 1, width)];
    }
  }
  out[static_cast<std::size_t>(y) * width + x] = sum;
}

/// Both sum at most 17 terms of size 1 in float: 17 roundings of at most 17 * 2^-24.
constexpr double kBound = 17 * 17 * 6e-8;

double window_error(std::vector<float> const& out) {
  int const n = static_cast<int>(out.size());
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int d = -kRadius; d <= kRadius; ++d)
      sum += mixed_float(static_cast<std::uint64_t>(clamped(i + d, n)));
    keep_worst(worst, std::abs(sum - out[static_cast<std::size_t>(i)]));
  }
  return worst;
}

double filter_error(std::vector<float> const& out, int width, int height, std::vector<float> const& weights) {
  std::vector<float> in(out.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = mixed_float(i);
  double worst = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int k = 0; k < 9; ++k) {
        sum += static_cast<double>(weights[static_cast<std::size_t>(k)]) *
               in[static_cast<std::size_t>(clamped(y + k / 3 - 1, height)) * width +
                  clamped(x + k % 3 - 1, width)];
      }
      keep_worst(worst, std::abs(sum - out[static_cast<std::size_t>(y) * width + x]));
    }
  }
  return worst;
}

}  // namespace

void gpu_filter(Gpu const& gpu) {
  int const width = gpu.small ? 1000 : 8192, height = gpu.small ? 500 : 4096;
  std::size_t const count = static_cast<std::size_t>(width) * height;
  Buffer<float> in(gpu.session, count), out(gpu.session, count);
  gpu.fill_mixed(in.get(), count);
  std::vector<float> const weights{0.1f, 0.2f, -0.3f, 0.4f, 0.9f, -0.4f, 0.3f, 0.2f, 0.1f};
  Buffer<float> const global_weights(gpu.session, weights);
  FINDRHO_CHECK(cudaMemcpyToSymbolAsync(kWeights, weights.data(), 9 * sizeof(float), 0,
                                        cudaMemcpyHostToDevice, gpu.session.stream));
  double const rate = gpu.copy_rate();
  // A share of the copy: a result is 8 bytes, a multiprocessor issues four warps' instructions a cycle.
  auto const issue = [&](double instructions) {
    double const results = 4.0 * 32 * gpu.figures.multiprocessors * gpu.figures.clock_hz / instructions;
    return std::min(0.9, 8 * results / rate);
  };
  auto const measure = [&](int kind, std::string const& variant, double share, std::string const& reason,
                           std::string const& note, auto const& launch) {
    out.fill(0xff);
    launch();
    auto const result = out.download();
    gpu.out.verify("largest difference, " + variant,
                   kind == 0 ? window_error(result) : filter_error(result, width, height, weights), kBound);
    double const measured = 8.0 * static_cast<double>(count) / gpu.seconds(launch);
    gpu.out.row(
        {.variant = variant,
         .values = {{"read and written once", "GB/s", measured / 1e9}, {"of the copy", "", measured / rate}},
         .predicted = share * rate / 1e9,
         .tolerance = 0.8,
         .reason = reason,
         .note = note});
  };
  auto const n = static_cast<int>(count);
  unsigned const line_blocks = static_cast<unsigned>((count + kBlock - 1) / kBlock);
  dim3 const blocks(static_cast<unsigned>((width + 31) / 32), static_cast<unsigned>((height + 7) / 8));
  std::string const many_reads = "the reads wait for each other in the L1 cache besides";
  measure(0, "window of 17, from global memory", issue(153),
          "memory sees each value once; 17 reads of about nine instructions each with their clamped "
          "addresses, four issued a cycle",
          many_reads, [&] {
            window_direct<<<line_blocks, kBlock, 0, gpu.session.stream>>>(in.get(), out.get(), n);
            check_launch("window_direct");
          });
  measure(
      0, "window of 17, shared tile", issue(70), "about four instructions for each of 17 shared reads",
      many_reads, [&] {
        window_shared<<<static_cast<unsigned>((count + kLong - 1) / kLong), kBlock, 0, gpu.session.stream>>>(
            in.get(), out.get(), n);
        check_launch("window_shared");
      });
  measure(1, "3x3, global, weights in global memory", issue(110),
          "nine reads of about ten instructions each, and nine of weights", many_reads, [&] {
            filter_direct<<<blocks, dim3(32, 8), 0, gpu.session.stream>>>(
                in.get(), out.get(), width, height, GlobalWeights{global_weights.get()});
            check_launch("filter_direct, global weights");
          });
  measure(1, "3x3, global, constant weights", issue(90),
          "a constant is an operand of the multiply-add: no read", many_reads, [&] {
            filter_direct<<<blocks, dim3(32, 8), 0, gpu.session.stream>>>(in.get(), out.get(), width, height,
                                                                          ConstantWeights{});
            check_launch("filter_direct, constant weights");
          });
  FilterBody<ConstantWeights> const body{width, height, {}, in.get(), out.get()};
  measure(1, "3x3, shared tile with halo, constant weights", issue(90),
          "a tile of 32 x 32 reads 34 x 34, an eighth more, and clamps only those", many_reads,
          [&] { launch_team<FilterBody<ConstantWeights>::kLanes>(gpu.session.stream, body.blocks(), body); });
  gpu.out.advice(
      "try the plain kernel first: caches serve small windows; put weights that all lanes share in constant "
      "memory");
}

}  // namespace findrho
