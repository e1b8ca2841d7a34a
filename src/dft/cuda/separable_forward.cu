// SPDX-License-Identifier: BSD-3-Clause
// F rho on Hopper's tensor cores. A block owns 256 (or 128) samples, whose phases along c stay in shared memory; tiles of
// 128 rows of the folded image pass by. The product of both, 128 deep, is multiplied by the left factor and added up
// while the other warpgroup's product runs. A lane's columns are 8 slot + 2 tq + comp with tq = [p][q].
#include "dft/cuda/separable_device.hpp"
#include "dft/cuda/wgmma.hpp"

namespace findrho::ladder {
namespace {

constexpr int kThreads = 256;  // two warpgroups

template <RightKind kKind>
struct Stages {
  static constexpr int kSamples = forward_samples(kKind);
  static constexpr int kPhases = forward_bytes(kKind, kSamples), kRows = forward_bytes(kKind, kForwardRows);
  static constexpr int kCount = kKind == RightKind::fp16 ? 4 : 2;
  static constexpr std::size_t kBytes = 1024 + kPhases + kCount * kRows + (2 * kCount + 1) * 8;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <RightKind kKind>
constexpr int kProductsOf = Stages<kKind>::kSamples / 128;  // of a warpgroup

/// sums[i] = phases x rows for the 64 samples of product i, all 128 deep.
template <RightKind kKind>
__device__ inline void issue(float (&sums)[kProductsOf<kKind>][64], unsigned char const* phases,
                             unsigned char const* rows, int first_sample) {
  using S = Stages<kKind>;
  constexpr int kParts = kKind == RightKind::split ? 3 : 1;  // high high, high low, low high
  constexpr int kBlocks = kKind == RightKind::tf32 ? 4 : 2;  // of 128 bytes of every row
  constexpr int kLowPhases = S::kSamples * 256, kLowRows = kForwardRows * 256;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    unsigned char const* const p = phases + (part == 2 ? kLowPhases : 0);
    unsigned char const* const r = rows + (part == 1 ? kLowRows : 0);
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      std::uint64_t const b = matrix_at(r + block * kForwardRows * 128);
#pragma unroll
      for (int i = 0; i < kProductsOf<kKind>; ++i) {
        std::uint64_t const a = matrix_at(p + (block * S::kSamples + first_sample + 64 * i) * 128);
#pragma unroll
        for (int step = 0; step < 4; ++step) {  // 32 bytes each
          int const add = part + block + step;
          if constexpr (kKind == RightKind::tf32) {
            product_tf32(sums[i], a + 2 * step, b + 2 * step, add);
          } else {
            product_f16(sums[i], a + 2 * step, b + 2 * step, add);
          }
        }
      }
    }
  }
}

/// The left factor of a lane: its two samples of every product, cosine or sine by its place.
template <int kProducts>
struct LeftFactor {
  float a[kProducts][2][kForwardA], b[kProducts][2][kTileB];
};

template <int kProducts>
__device__ inline void read_left(LeftFactor<kProducts>& left, ForwardShape const& shape,
                                 ForwardTables const& tables, int tile, long long sample) {
  int const lane = threadIdx.x % 32, p = lane % 4 / 2, q = lane % 2;
  long long const slot_a = tile / shape.tiles_b * kForwardA, slot_b = tile % shape.tiles_b * kTileB;
#pragma unroll
  for (int i = 0; i < kProducts; ++i) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      long long const m = sample + 64 * i + 8 * h;
#pragma unroll
      for (int s = 0; s < kForwardA; ++s)
        left.a[i][h][s] = __ldg(tables.a + (2 * (slot_a + s) + p) * shape.padded + m);
#pragma unroll
      for (int s = 0; s < kTileB; ++s)
        left.b[i][h][s] = __ldg(tables.b + (2 * (slot_b + s) + q) * shape.padded + m);
    }
  }
}

template <int kProducts>
__device__ inline void add_weighted(double2 (&totals)[kProducts][2], float (&sums)[kProducts][64],
                                    LeftFactor<kProducts> const& left) {
#pragma unroll
  for (int i = 0; i < kProducts; ++i) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float re = 0, im = 0;
#pragma unroll
      for (int slot = 0; slot < kForwardA * kTileB; ++slot) {
        float const factor = left.a[i][h][slot / kTileB] * left.b[i][h][slot % kTileB];
        re += factor * sums[i][4 * slot + 2 * h];
        im += factor * sums[i][4 * slot + 2 * h + 1];
      }
      totals[i][h].x += re;
      totals[i][h].y += im;
    }
  }
}

#endif  // sm_90a

template <RightKind kKind>
__global__ void __launch_bounds__(kThreads, 1)
    forward_kernel(ForwardShape const shape, ForwardTables const tables, double2* partial) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using S = Stages<kKind>;
  extern __shared__ unsigned char dynamic_shared[];
  unsigned char* const phases = dynamic_shared + (1024 - shared_address(dynamic_shared) % 1024) % 1024;
  unsigned char* const stages = phases + S::kPhases;
  auto* const full = reinterpret_cast<std::uint64_t*>(stages + S::kCount * S::kRows);
  std::uint64_t* const empty = full + S::kCount;
  std::uint64_t* const there = empty + S::kCount;
  int const tile_c = blockIdx.y;
  ForwardRows const own_rows(shape, tile_c, static_cast<int>(blockIdx.z));
  int const first = own_rows.first, end = own_rows.end;
  auto const load = [&](int i) {
    barrier_expect(full + i % S::kCount, S::kRows);
    bulk_copy(stages + i % S::kCount * S::kRows,
              tables.rows + (own_rows.before(shape, tile_c) + first + i) * S::kRows, S::kRows,
              full + i % S::kCount);
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::kCount; ++s) {
      barrier_init(full + s, 1);
      barrier_init(empty + s, kThreads / 32);
    }
    barrier_init(there, 1);
    barriers_ready();
    barrier_expect(there, S::kPhases);
    bulk_copy(phases,
              tables.phases + (static_cast<long long>(blockIdx.x) * shape.tiles_c + tile_c) * S::kPhases,
              S::kPhases, there);
    for (int i = 0; i < S::kCount && first + i < end; ++i) load(i);
  }
  __syncthreads();
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  int const own = threadIdx.x / 128 * 64 * kProductsOf<kKind>;  // first sample of the warpgroup
  long long const sample = static_cast<long long>(blockIdx.x) * S::kSamples + own + 16 * warp + lane / 4;
  double2 totals[kProductsOf<kKind>][2] = {};
  float sums[kProductsOf<kKind>][64];
  LeftFactor<kProductsOf<kKind>> left;
  barrier_wait(there, 0);
  for (int i = 0; first + i < end; ++i) {
    barrier_wait(full + i % S::kCount, i / S::kCount % 2);
    products_begin();
    issue<kKind>(sums, phases, stages + i % S::kCount * S::kRows, own);
    products_commit();
    read_left(left, shape, tables, first + i, sample);
    if (threadIdx.x == 0 && i > 0 && first + i - 1 + S::kCount < end) {
      barrier_wait(empty + (i - 1) % S::kCount, (i - 1) / S::kCount % 2);  // both warpgroups are done with it
      load(i - 1 + S::kCount);
    }
    __syncwarp();
    products_wait<0>();
    if (lane == 0) barrier_arrive(empty + i % S::kCount);
    add_weighted(totals, sums, left);
  }
#pragma unroll
  for (int i = 0; i < kProductsOf<kKind>; ++i) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      double2 t = totals[i][h];
      for (int other = 1; other < 4; other *= 2) {
        t.x += __shfl_xor_sync(~0u, t.x, other);
        t.y += __shfl_xor_sync(~0u, t.y, other);
      }
      if (lane % 4 == 0)
        partial[static_cast<long long>(own_rows.part) * shape.padded + sample + 64 * i + 8 * h] = t;
    }
  }
#endif
}

template <RightKind kKind>
void launch(Session& session, CudaRungFigures& figures, ForwardShape const& shape,
            ForwardTables const& tables, double2* partial) {
  auto* const kernel = forward_kernel<kKind>;
  constexpr std::size_t kBytes = Stages<kKind>::kBytes;
  FINDRHO_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int{kBytes}));
  dim3 const grid(static_cast<unsigned>(shape.sample_blocks), static_cast<unsigned>(shape.tiles_c),
                  static_cast<unsigned>(shape.coils * shape.splits));
  kernel<<<grid, kThreads, kBytes, session.stream>>>(shape, tables, partial);
  check_launch("a separable rung of F rho");
  describe_separable(session, figures, reinterpret_cast<void const*>(kernel), kThreads, kBytes,
                     std::int64_t{grid.x} * grid.y * grid.z);
}

}  // namespace

void launch_forward_tensor(Session& session, CudaRungFigures& figures, RightKind kind,
                           ForwardShape const& shape, ForwardTables const& tables, double2* partial) {
  switch (kind) {
    case RightKind::tf32:
      return launch<RightKind::tf32>(session, figures, shape, tables, partial);
    case RightKind::fp16:
      return launch<RightKind::fp16>(session, figures, shape, tables, partial);
    default:
      return launch<RightKind::split>(session, figures, shape, tables, partial);
  }
}

}  // namespace findrho::ladder
