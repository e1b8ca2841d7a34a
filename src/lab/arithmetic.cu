// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic: the ceilings of the roofline. Multiply-adds and hardware sines run in chains that each thread keeps
// eight of; tensor cores run a large product of cuBLAS.
#include <cuda_fp16.h>

#include "backend/cuda/blas.hpp"
#include "lab/gpu_experiments.hpp"
#include "lab/product_check.hpp"

namespace findrho {
namespace {

constexpr int kChains = 8, kThreads = 256;

FINDRHO_HD float chain_start(int i, int c) {
  return mixed_float(static_cast<std::uint64_t>(i) * kChains + static_cast<std::uint64_t>(c));
}

__global__ void __launch_bounds__(kThreads) multiply_add(float* out, int steps) {
  int const i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  float v[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) v[c] = chain_start(i, c);
#pragma unroll 16
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int c = 0; c < kChains; ++c) v[c] = fmaf(v[c], 0.75f, 0.125f);
  }
  float total = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) total += v[c];
  out[i] = total;
}

float expected_multiply_add(int i, int steps) {
  float total = 0;
  for (int c = 0; c < kChains; ++c) {
    float v = chain_start(i, c);
    for (int s = 0; s < steps; ++s) v = fmaf(v, 0.75f, 0.125f);
    total += v;
  }
  return total;
}

/// Half of the chains x <- cos x, half x <- sin(x + 1): both draw together to a fixed point, so errors do not grow.
__global__ void __launch_bounds__(kThreads) sines(float* out, int steps) {
  int const i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  float v[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) v[c] = chain_start(i, c);
#pragma unroll 4
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int c = 0; c < kChains; ++c) v[c] = c % 2 == 0 ? __cosf(v[c]) : __sinf(v[c] + 1);
  }
  float total = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) total += v[c];
  out[i] = total;
}

double expected_sines(int i, int steps) {
  double total = 0;
  for (int c = 0; c < kChains; ++c) {
    double v = chain_start(i, c);
    for (int s = 0; s < steps; ++s) v = c % 2 == 0 ? std::cos(v) : std::sin(v + 1);
    total += v;
  }
  return total;
}

__global__ void to_half(float const* from, __half* to, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += gridDim.x * std::size_t{blockDim.x}) {
    to[i] = __float2half(from[i]);
  }
}
__global__ void to_float(__half const* from, float* to, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += gridDim.x * std::size_t{blockDim.x}) {
    to[i] = __half2float(from[i]);
  }
}

double measure_multiply_add(Gpu const& gpu) {
  int const blocks = gpu.figures.multiprocessors * 8 * (gpu.small ? 1 : 4), steps = gpu.small ? 64 : 4096;
  Buffer<float> out(gpu.session, static_cast<std::size_t>(blocks) * kThreads);
  auto const launch = [&] {
    multiply_add<<<blocks, kThreads, 0, gpu.session.stream>>>(out.get(), steps);
    check_launch("multiply_add");
  };
  launch();
  auto const result = out.download();
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < result.size(); i += 4099)
    wrong += result[i] != expected_multiply_add(static_cast<int>(i), steps) ? 1 : 0;
  gpu.out.verify_equal("wrong chains of multiply-adds", wrong, 0);
  return 2.0 * kChains * steps * static_cast<double>(out.count()) / gpu.seconds(launch);
}

double measure_sines(Gpu const& gpu) {
  int const blocks = gpu.figures.multiprocessors * 8 * (gpu.small ? 1 : 2), steps = gpu.small ? 16 : 1024;
  Buffer<float> out(gpu.session, static_cast<std::size_t>(blocks) * kThreads);
  auto const launch = [&] {
    sines<<<blocks, kThreads, 0, gpu.session.stream>>>(out.get(), steps);
    check_launch("sines");
  };
  launch();
  auto const result = out.download();
  double worst = 0;
  for (std::size_t i = 0; i < result.size(); i += 4099) {
    double const error =
        std::abs(static_cast<double>(result[i]) - expected_sines(static_cast<int>(i), steps));
    keep_worst(worst, error);
  }
  // The hardware's sine and cosine are off by up to 2^-21 each; maps that shrink by 0.68 (cosine) and 0.36 near their
  // fixed points gather 3.1 and 1.6 times that; eight chains, and the rounding of their sum of 7.
  gpu.out.verify("hardware sines, largest error of a sum of 8", worst, 8 * 3.1 * 4.8e-7 + 8 * 4.8e-7);
  return static_cast<double>(kChains) * steps * static_cast<double>(out.count()) / gpu.seconds(launch);
}

/// Operations per second of a product of n x n matrices of random numbers.
double measure_tensor(Gpu const& gpu, CudaGemmRecord::Type type) {
  int const n = gpu.small ? 512 : 8192;
  std::size_t const count = static_cast<std::size_t>(n) * n;
  Buffer<float> a(gpu.session, count), b(gpu.session, count), c(gpu.session, count);
  Buffer<__half> half_a(gpu.session, count), half_b(gpu.session, count), half_c(gpu.session, count);
  gpu.fill_mixed(a.get(), count);
  gpu.fill_mixed(b.get(), count, count);
  CudaGemmRecord record{.type = type, .m = n, .n = n, .k = n, .a = a.get(), .b = b.get(), .c = c.get()};
  bool const half = type == CudaGemmRecord::fp16;
  if (half) {
    for (auto const& [from, to] : {std::pair{&a, &half_a}, std::pair{&b, &half_b}}) {
      to_half<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(from->get(), to->get(), count);
      check_launch("to_half");
      to_float<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(to->get(), from->get(), count);
      check_launch("to_float");
    }
    record.a = half_a.get();
    record.b = half_b.get();
    record.c = half_c.get();
  }
  Cublas blas(gpu.session);
  c.fill(0xff);
  blas.gemm(record);
  if (half) {
    to_float<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(half_c.get(), c.get(), count);
    check_launch("to_float");
  }
  // TF32 rounds the factors to 11 bits, FP16 the result: each is off by 2^-11, which adds over n of random signs like
  // the rounding of the sum does for a unit of 2^-11 / sqrt(n).
  double const eps = 4.9e-4 / std::sqrt(static_cast<double>(n));
  gpu.out.verify(half ? "C v against A (B v), FP16" : "C v against A (B v), TF32",
                 product_error(a.download(), b.download(), c.download(), static_cast<std::size_t>(n), eps),
                 1);
  return 2.0 * n * static_cast<double>(count) / gpu.seconds([&] { blas.gemm(record); });
}

}  // namespace

ArithmeticCeilings measure_arithmetic(Gpu const& gpu) {
  return {measure_multiply_add(gpu), measure_sines(gpu), measure_tensor(gpu, CudaGemmRecord::tf32),
          measure_tensor(gpu, CudaGemmRecord::fp16)};
}

void gpu_arithmetic(Gpu const& gpu) {
  ArithmeticCeilings const c = measure_arithmetic(gpu);
  double const cycles = gpu.figures.multiprocessors * gpu.figures.clock_hz;
  auto const row = [&](std::string const& variant, double rate, double predicted, std::string const& unit,
                       double tolerance, std::string const& reason, std::string const& note) {
    gpu.out.row({.variant = variant,
                 .values = {{"rate", unit, rate / 1e12}, {"of the datasheet", "", rate / predicted}},
                 .predicted = predicted / 1e12,
                 .tolerance = tolerance,
                 .reason = reason,
                 .note = note});
  };
  row("FP32 multiply-add", c.fp32_flops, 256 * cycles, "TFLOP/s", 0.12,
      "128 multiply-adds a cycle and multiprocessor", "");
  row("hardware sine or cosine", c.sfu_operations, 16 * cycles, "1e12/s", 0.12,
      "16 a cycle and multiprocessor", "");
  if (gpu.figures.compute_major == 9) {
    // The datasheet's tensor figures are for 1.83 GHz, whatever the device's highest clock.
    double const sheet = gpu.figures.multiprocessors * 1.83e9;
    std::string const power =
        "the product of random numbers draws the board's full power, which lowers the clock";
    row("TF32 tensor product (cuBLAS, 8192)", c.tf32_flops, 2048 * sheet, "TFLOP/s", 0.34,
        "1024 multiply-adds a cycle and multiprocessor", power);
    row("FP16 tensor product (cuBLAS, 8192)", c.fp16_flops, 4096 * sheet, "TFLOP/s", 0.34,
        "2048 multiply-adds a cycle and multiprocessor", power);
  } else {
    for (bool const half : {false, true}) {
      gpu.out.row(
          {.variant = half ? "FP16 tensor product (cuBLAS, 8192)" : "TF32 tensor product (cuBLAS, 8192)",
           .values = {{"rate", "TFLOP/s", (half ? c.fp16_flops : c.tf32_flops) / 1e12}},
           .reason = "no datasheet figure is known here for this generation"});
    }
  }
  gpu.out.advice(
      "a sine costs as much as eight multiply-adds, and a tensor core does fifteen in the time of one");
}

void gpu_roofline(Gpu const& gpu) {
  auto const row = [&](std::string const& variant, double value, std::string const& unit, double scale,
                       double predicted, std::string const& reason) {
    gpu.out.row({.variant = variant,
                 .values = {{"ceiling", unit, value / scale}},
                 .predicted = predicted / scale,
                 .tolerance = 0.35,
                 .reason = reason,
                 .note = "see the experiment of this level"});
  };
  double const cycles = gpu.figures.multiprocessors * gpu.figures.clock_hz;
  row("DRAM", gpu.copy_rate(), "GB/s", 1e9, 0.88 * gpu.figures.memory_bytes_per_s,
      "a copy, read and written (access)");
  row("L2", measure_l2_rate(gpu), "GB/s", 1e9, 32 * cycles,
      "a third of the L2 read again and again: a sector a cycle and multiprocessor (cache-sweep)");
  row("shared", measure_shared_rate(gpu), "GB/s", 1e9, 128 * cycles,
      "32 banks of 4 bytes a cycle and multiprocessor (banks)");
  ArithmeticCeilings const c = measure_arithmetic(gpu);
  row("FP32", c.fp32_flops, "TFLOP/s", 1e12, 256 * cycles,
      "128 multiply-adds a cycle and multiprocessor (arithmetic)");
  row("SFU", c.sfu_operations, "1e12/s", 1e12, 16 * cycles, "16 a cycle and multiprocessor (arithmetic)");
  row("TF32", c.tf32_flops, "TFLOP/s", 1e12, 2048 * cycles * 0.8,
      "cuBLAS product of 8192, four fifths of the units' rate (arithmetic)");
  row("FP16", c.fp16_flops, "TFLOP/s", 1e12, 4096 * cycles * 0.8, "as TF32, twice the rate (arithmetic)");
  gpu.out.advice(
      "divide a kernel's operations by its bytes, find the roof above that number, and see how far below it "
      "the kernel is");
}

}  // namespace findrho
