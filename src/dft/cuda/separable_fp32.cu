// SPDX-License-Identifier: BSD-3-Clause
// The same product on the float units of any device. A block owns 128 rows, [2 slots of a][8 of b][comp][p][q], and 128
// columns, a thread 8 x 8 of them. Its threads multiply the left factor of a chunk together into shared memory.
#include <cuda_pipeline.h>

#include "dft/cuda/separable_device.hpp"
#include "dft/cuda/separable_multiply.hpp"

namespace findrho::ladder {
namespace {

constexpr int kThreads = 256, kRows = kTileRows / 2;
constexpr int kChunk = chunk_samples(RightKind::fp32), kStages = 3;
constexpr int kSlotsA = kTileA / 2;
constexpr int kA = left_floats(kSlotsA, kChunk), kB = left_floats(kTileB, kChunk), kMu = 2 * kChunk;
constexpr int kRight = kChunk * kTileColumns;
constexpr int kStage = kRight + kA + kB + kMu;  // floats
constexpr int kLeft = kChunk * kRows;           // the finished left factor
constexpr std::size_t kBytes = sizeof(float) * (kStages * kStage + kLeft);

__device__ void copy(float* to, float const* from, int floats) {
  for (int i = 4 * threadIdx.x; i < floats; i += 4 * kThreads) __pipeline_memcpy_async(to + i, from + i, 16);
}

/// left[sample][row], a thread half of the samples of a row.
__device__ void make_left(float const* stage, float* left) {
  int const row = threadIdx.x % kRows, group = threadIdx.x / kRows;
  int const g = row % 8, comp = g / 4, p = g / 2 % 2, q = g % 2, slot_b = row / 8 % kTileB,
            slot_a = row / 8 / kTileB;
  constexpr int kSlot = left_floats(1, kChunk);
  int const within = group * 2 * kGroup;
  float const* const a = stage + kRight + slot_a * kSlot + within + p * kGroup;
  float const* const b = stage + kRight + kA + slot_b * kSlot + within + q * kGroup;
  float const* const mu = stage + kRight + kA + kB + within + comp * kGroup;
  float* const to = left + group * kGroup * kRows + row;
#pragma unroll
  for (int i = 0; i < kGroup; i += 4) {
    float4 const va = *reinterpret_cast<float4 const*>(a + i), vb = *reinterpret_cast<float4 const*>(b + i),
                 vm = *reinterpret_cast<float4 const*>(mu + i);
    to[i * kRows] = vm.x * va.x * vb.x;
    to[(i + 1) * kRows] = vm.y * va.y * vb.y;
    to[(i + 2) * kRows] = vm.z * va.z * vb.z;
    to[(i + 3) * kRows] = vm.w * va.w * vb.w;
  }
}

__device__ void flush(float (&sums)[8][8], double* to, std::int64_t columns) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    double* const row = to + (i / 4 * 64 + i % 4) * columns;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      row[j / 4 * 64 + j % 4] += sums[i][j];
      sums[i][j] = 0;
    }
  }
}

__global__ void __launch_bounds__(kThreads, 2) gather_fp32_kernel(GatherLaunch const l, double* sums_to) {
  extern __shared__ __align__(16) float shared[];
  float* const left = shared + kStages * kStage;
  int const half = blockIdx.x % 2, tile_c = blockIdx.y;
  RowTile const tile(l.shape, static_cast<int>(blockIdx.x / 2));
  int const first = static_cast<int>(static_cast<long long>(l.shape.chunks) * blockIdx.z / l.splits);
  int const end = static_cast<int>(static_cast<long long>(l.shape.chunks) * (blockIdx.z + 1) / l.splits);
  auto const load = [&](int chunk) {
    if (chunk < end) {
      float* const stage = shared + (chunk - first) % kStages * kStage;
      long long const c = chunk;
      copy(stage, reinterpret_cast<float const*>(l.tables.right) + (c * l.shape.tiles_c + tile_c) * kRight,
           kRight);
      copy(stage + kRight, l.tables.a + ((c * l.shape.tiles_a + tile.a) * 2 + half) * kA, kA);
      copy(stage + kRight + kA, l.tables.b + (c * l.shape.tiles_b + tile.b) * kB, kB);
      copy(stage + kRight + kA + kB, l.tables.mu + (tile.coil * l.shape.chunks + c) * kMu, kMu);
    }
    __pipeline_commit();
  };
  int const row = 4 * (threadIdx.x / 16), column = 4 * (threadIdx.x % 16);
  double* const to = sums_to + blockIdx.z * l.shape.rows() * l.shape.columns() +
                     (static_cast<std::int64_t>(blockIdx.x) * kRows + row) * l.shape.columns() +
                     tile_c * kTileColumns + column;
  float sums[8][8] = {};
  load(first);
  load(first + 1);
  for (int chunk = first; chunk < end;) {
    int const stop = min(end, chunk + l.chunks_a_flush);
    for (; chunk < stop; ++chunk) {
      float const* const stage = shared + (chunk - first) % kStages * kStage;
      __pipeline_wait_prior(1);
      __syncthreads();  // this chunk's tables are there; the chunk before is multiplied
      load(chunk + 2);
      make_left(stage, left);
      __syncthreads();
      multiply<kChunk, 128>(sums, left + row, stage + column);
    }
    flush(sums, to, l.shape.columns());
  }
}

}  // namespace

void launch_gather_fp32(Session& session, CudaRungFigures& figures, GatherLaunch const& l, double* sums) {
  FINDRHO_CHECK(
      cudaFuncSetAttribute(gather_fp32_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int{kBytes}));
  dim3 const grid(static_cast<unsigned>(2 * l.shape.coils * l.shape.row_tiles()),
                  static_cast<unsigned>(l.shape.tiles_c), static_cast<unsigned>(l.splits));
  gather_fp32_kernel<<<grid, kThreads, kBytes, session.stream>>>(l, sums);
  check_launch("separable_fp32");
  describe_separable(session, figures, reinterpret_cast<void const*>(gather_fp32_kernel), kThreads, kBytes,
                     std::int64_t{grid.x} * grid.y * grid.z);
}

}  // namespace findrho::ladder
