// SPDX-License-Identifier: BSD-3-Clause
// F rho on the float units of any device: 128 samples times 128 rows a block and tile, 8 x 8 a thread; then the left
// factor, and the rows of a sample added up across sixteen lanes.
#include <cuda_pipeline.h>

#include "dft/cuda/separable_device.hpp"
#include "dft/cuda/separable_multiply.hpp"

namespace findrho::ladder {
namespace {

constexpr int kThreads = 256, kSamples = forward_samples(RightKind::fp32);
constexpr int kDeep = 32;  // columns of a stage
constexpr int kPart = kDeep * 128, kSteps = kTileColumns / kDeep;
constexpr std::size_t kBytes = sizeof(float) * 4 * kPart;

__device__ void copy(float* to, float const* from) {
  for (int i = 4 * threadIdx.x; i < kPart; i += 4 * kThreads) __pipeline_memcpy_async(to + i, from + i, 16);
}

/// Rows of a thread: j = [slot of a][q][comp], its slot of b and its p by its place.
__device__ void add_weighted(double2 (&totals)[8], float (&sums)[8][8], ForwardShape const& shape,
                             ForwardTables const& tables, int tile, long long sample) {
  int const place = threadIdx.x % 16, p = place % 2;
  long long const slot_a = tile / shape.tiles_b * kForwardA,
                  slot_b = tile % shape.tiles_b * kTileB + place / 2;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    long long const m = sample + i / 4 * 64 + i % 4;
    float re = 0, im = 0;
#pragma unroll
    for (int j = 0; j < 8; j += 2) {
      float const factor = __ldg(tables.a + (2 * (slot_a + j / 4) + p) * shape.padded + m) *
                           __ldg(tables.b + (2 * slot_b + j / 2 % 2) * shape.padded + m);
      re += factor * sums[i][j];
      im += factor * sums[i][j + 1];
      sums[i][j] = sums[i][j + 1] = 0;
    }
    totals[i].x += re;
    totals[i].y += im;
  }
}

__global__ void __launch_bounds__(kThreads)
    forward_fp32_kernel(ForwardShape const shape, ForwardTables const tables, double2* partial) {
  extern __shared__ __align__(16) float shared[];
  int const tile_c = blockIdx.y;
  ForwardRows const own_rows(shape, tile_c, static_cast<int>(blockIdx.z));
  int const first = own_rows.first, end = own_rows.end;
  auto const* const phases = reinterpret_cast<float const*>(tables.phases) +
                             (static_cast<long long>(blockIdx.x) * shape.tiles_c + tile_c) * kSteps * kPart;
  auto const* const rows =
      reinterpret_cast<float const*>(tables.rows) + own_rows.before(shape, tile_c) * kSteps * kPart;
  auto const load = [&](int step) {  // counted over all tiles
    if (first + step / kSteps < end) {
      float* const stage = shared + step % 2 * 2 * kPart;
      copy(stage, phases + step % kSteps * kPart);
      copy(stage + kPart, rows + (static_cast<long long>(first) * kSteps + step) * kPart);
    }
    __pipeline_commit();
  };
  int const row = 4 * (threadIdx.x / 16), column = 4 * (threadIdx.x % 16);
  long long const sample = static_cast<long long>(blockIdx.x) * kSamples + row;
  float sums[8][8] = {};
  double2 totals[8] = {};
  load(0);
  for (int tile = first; tile < end; ++tile) {
    for (int part = 0; part < kSteps; ++part) {
      int const step = (tile - first) * kSteps + part;
      load(step + 1);
      __pipeline_wait_prior(1);
      __syncthreads();
      float const* const stage = shared + step % 2 * 2 * kPart;
      multiply<kDeep, 128>(sums, stage + row, stage + kPart + column);
      __syncthreads();  // before the next copy overwrites the stage
    }
    add_weighted(totals, sums, shape, tables, tile, sample);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    double2 t = totals[i];
    for (int other = 1; other < 16; other *= 2) {
      t.x += __shfl_xor_sync(~0u, t.x, other);
      t.y += __shfl_xor_sync(~0u, t.y, other);
    }
    if (threadIdx.x % 16 == 0)
      partial[static_cast<long long>(own_rows.part) * shape.padded + sample + i / 4 * 64 + i % 4] = t;
  }
}

}  // namespace

void launch_forward_fp32(Session& session, CudaRungFigures& figures, ForwardShape const& shape,
                         ForwardTables const& tables, double2* partial) {
  FINDRHO_CHECK(
      cudaFuncSetAttribute(forward_fp32_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int{kBytes}));
  dim3 const grid(static_cast<unsigned>(shape.sample_blocks), static_cast<unsigned>(shape.tiles_c),
                  static_cast<unsigned>(shape.coils * shape.splits));
  forward_fp32_kernel<<<grid, kThreads, kBytes, session.stream>>>(shape, tables, partial);
  check_launch("separable_fp32 of F rho");
  describe_separable(session, figures, reinterpret_cast<void const*>(forward_fp32_kernel), kThreads, kBytes,
                     std::int64_t{grid.x} * grid.y * grid.z);
}

}  // namespace findrho::ladder
