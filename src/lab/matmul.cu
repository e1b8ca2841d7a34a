// SPDX-License-Identifier: BSD-3-Clause
// Matrix product: reuse. A tile of T x T in shared memory divides the global reads by T; 8 x 8 results in the registers
// of a thread divide the shared reads by 4 again, and only then does the arithmetic set the pace.
#include "backend/cuda/blas.hpp"
#include "lab/gpu_experiments.hpp"
#include "lab/product_check.hpp"

namespace findrho {
namespace {

__global__ void multiply_naive(int n, float const* __restrict__ a, float const* __restrict__ b,
                               float* __restrict__ c) {
  int const x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int const y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

template <int T>
__global__ void multiply_tiled(int n, float const* __restrict__ a, float const* __restrict__ b,
                               float* __restrict__ c) {
  __shared__ float tile_a[T][T], tile_b[T][T];
  int const tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  int const x = static_cast<int>(blockIdx.x) * T + tx, y = static_cast<int>(blockIdx.y) * T + ty;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += T) {
    tile_a[ty][tx] = a[y * n + k0 + tx];
    tile_b[ty][tx] = b[(k0 + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

/// 128 x 128 results a block, 8 x 8 a thread, as four 4 x 4 squares 64 apart so that shared reads are free of
/// conflicts; the next slice of A and B is fetched into registers while this one is used.
constexpr int kSquare = 128, kSlice = 8;
__global__ void __launch_bounds__(256, 2)
    multiply_registers(int n, float const* __restrict__ a, float const* __restrict__ b,
                       float* __restrict__ c) {
  __shared__ __align__(
      16) float slice_a[2][kSlice][kSquare + 4];  // transposed; padded for the scattered stores
  __shared__ __align__(16) float slice_b[2][kSlice][kSquare];
  int const t = static_cast<int>(threadIdx.x), tx = t % 16, ty = t / 16;
  int const row_a = t / 2, column_a = t % 2 * 4, row_b = t / 32, column_b = t % 32 * 4;
  float const* from_a = a + (static_cast<int>(blockIdx.y) * kSquare + row_a) * n + column_a;
  float const* from_b = b + row_b * n + static_cast<int>(blockIdx.x) * kSquare + column_b;
  float sum[8][8] = {};
  float4 next_a, next_b;
  auto const fetch = [&](int k) {
    next_a = *reinterpret_cast<float4 const*>(from_a + k);
    next_b = *reinterpret_cast<float4 const*>(from_b + k * n);
  };
  auto const store = [&](int buffer) {
    float const* const v = &next_a.x;
#pragma unroll
    for (int j = 0; j < 4; ++j) slice_a[buffer][column_a + j][row_a] = v[j];
    *reinterpret_cast<float4*>(&slice_b[buffer][row_b][column_b]) = next_b;
  };
  fetch(0);
  store(0);
  __syncthreads();
  for (int k0 = 0, buffer = 0; k0 < n; k0 += kSlice, buffer ^= 1) {
    bool const more = k0 + kSlice < n;
    if (more) fetch(k0 + kSlice);
#pragma unroll
    for (int k = 0; k < kSlice; ++k) {
      float va[8], vb[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(va + 4 * h) =
            *reinterpret_cast<float4 const*>(&slice_a[buffer][k][64 * h + 4 * ty]);
        *reinterpret_cast<float4*>(vb + 4 * h) =
            *reinterpret_cast<float4 const*>(&slice_b[buffer][k][64 * h + 4 * tx]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += va[i] * vb[j];
      }
    }
    if (more) store(buffer ^ 1);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int const y = static_cast<int>(blockIdx.y) * kSquare + i / 4 * 64 + 4 * ty + i % 4;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      *reinterpret_cast<float4*>(c + y * n + static_cast<int>(blockIdx.x) * kSquare + 64 * h + 4 * tx) =
          make_float4(sum[i][4 * h], sum[i][4 * h + 1], sum[i][4 * h + 2], sum[i][4 * h + 3]);
    }
  }
}

struct Product {
  Gpu const& gpu;
  int n;
  std::vector<float> a, b;
  Buffer<float> device_a, device_b, device_c;
  double peak;

  Product(Gpu const& gpu_, int n_, double peak_)
      : gpu(gpu_),
        n(n_),
        device_a(gpu.session, count()),
        device_b(gpu.session, count()),
        device_c(gpu.session, count()),
        peak(peak_) {
    gpu.fill_mixed(device_a.get(), count());
    gpu.fill_mixed(device_b.get(), count(), count());
    a = device_a.download();
    b = device_b.download();
  }
  std::size_t count() const { return static_cast<std::size_t>(n) * n; }

  /// Operations per second. predicted as a share of the arithmetic's peak.
  template <class Launch>
  double measure(std::string const& what, double share, double tolerance, std::string const& reason,
                 std::string const& note, Launch const& launch, double naive = 0) {
    std::string const variant = std::to_string(n) + ", " + what;
    device_c.fill(0xff);
    launch();
    gpu.out.verify("C v against A (B v), " + variant,
                   product_error(a, b, device_c.download(), static_cast<std::size_t>(n), 6e-8), 1);
    double const rate = 2.0 * n * static_cast<double>(count()) / gpu.seconds(launch, n <= 1024 ? 20 : 1);
    gpu.out.row(
        {.variant = variant,
         .values = {{"rate", "TFLOP/s", rate / 1e12}, {"over naive", "", naive > 0 ? rate / naive : 1}},
         .predicted = share * peak / 1e12,
         .tolerance = tolerance,
         .reason = reason,
         .note = n <= 1024 ? "too few blocks to fill the device, or the matrices fit the caches: "
                             "launch and latency set the time"
                           : note});
    return rate;
  }

  void run() {
    auto const blocks = [this](int tile) {
      return dim3(static_cast<unsigned>(n / tile), static_cast<unsigned>(n / tile));
    };
    cudaStream_t const stream = gpu.session.stream;
    auto* const pa = device_a.get();
    auto* const pb = device_b.get();
    auto* const pc = device_c.get();
    double const naive = measure("naive", 1.0 / 12, 0.35,
                                 "a warp is two rows of 16: two lines of A and one of B for 32 "
                                 "multiply-adds, three cycles of the L1 cache for a quarter of arithmetic",
                                 "the compiler joins reads of four steps of A's row", [&] {
                                   multiply_naive<<<blocks(16), dim3(16, 16), 0, stream>>>(n, pa, pb, pc);
                                   check_launch("multiply_naive");
                                 });
    double const tile16 = measure(
        "tile 16", 0.125, 0.35,
        "16 times fewer global reads, but two shared reads for each multiply-add instead",
        "barriers twice in 16 steps",
        [&] {
          multiply_tiled<16><<<blocks(16), dim3(16, 16), 0, stream>>>(n, pa, pb, pc);
          check_launch("multiply_tiled<16>");
        },
        naive);
    measure(
        "tile 32", 0.125, 0.35, "32 times fewer global reads; the two shared reads set the pace",
        "barriers twice in 32 steps",
        [&] {
          multiply_tiled<32><<<blocks(32), dim3(32, 32), 0, stream>>>(n, pa, pb, pc);
          check_launch("multiply_tiled<32>");
        },
        naive);
    double const blocks_of_tiles = static_cast<double>(n / kSquare) * (n / kSquare);
    double const tiled = measure(
        "registers 8 x 8", 0.7 * std::min(1.0, blocks_of_tiles / gpu.figures.multiprocessors), 0.3,
        "four wide shared reads for 64 multiply-adds; small sizes have fewer blocks than multiprocessors", "",
        [&] {
          multiply_registers<<<blocks(kSquare), 256, 0, stream>>>(n, pa, pb, pc);
          check_launch("multiply_registers");
        },
        naive);
    Cublas blas(gpu.session);
    CudaGemmRecord const record{
        .type = CudaGemmRecord::fp32, .m = n, .n = n, .k = n, .a = pa, .b = pb, .c = pc};
    double const library = measure(
        "cuBLAS FP32", 0.8, 0.25, "the library's register tile", "", [&] { blas.gemm(record); }, naive);
    if (n == 1024) {
      gpu.out.answer(
          "The textbook's row (1024, tile 16; 2 to 5 times the naive product)? " + brief(tile16 / naive) +
          " times here: the L1 cache, which the textbook's device lacked, already serves the naive reads.");
    }
    if (n == 4096) {
      gpu.out.remark("4096: the register tile reaches " + brief(100 * tiled / library) + " % of cuBLAS FP32");
    }
  }
};

}  // namespace

void gpu_matmul(Gpu const& gpu) {
  double const peak =
      256.0 * gpu.figures.multiprocessors * gpu.figures.clock_hz;  // 128 multiply-adds a cycle
  std::vector<int> const sizes = gpu.small ? std::vector{256} : std::vector{256, 512, 1024, 2048, 4096};
  for (int const n : sizes) Product(gpu, n, peak).run();
  gpu.out.advice(
      "reuse in registers, not only in shared memory: count the shared reads for each multiply-add");
}

}  // namespace findrho
