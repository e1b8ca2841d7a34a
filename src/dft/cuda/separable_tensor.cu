// SPDX-License-Identifier: BSD-3-Clause
// F^H d and Q on Hopper's tensor cores. A block owns 4 x 8 slots of (a, b), so 256 rows, and 128 columns; its sums
// stay in registers for a number of chunks. A lane multiplies its part of the left factor together from the tables of
// a and b, straight into the registers that the product reads:
//   row of a warp's 16: g + 8 h with g = [comp][p][q]; h is the slot of b, the two products of a warp differ in a
// While the tensor cores work on one batch of samples the lanes make the next one.
#include "dft/cuda/separable_device.hpp"
#include "dft/cuda/wgmma.hpp"

namespace findrho::ladder {
namespace {

constexpr int kThreads = 256;  // two warpgroups

template <RightKind kKind>
struct Stages {
  static constexpr int kChunk = chunk_samples(kKind), kRight = right_bytes(kKind);
  static constexpr int kA = 4 * left_floats(kTileA, kChunk), kB = 4 * left_floats(kTileB, kChunk),
                       kMu = 4 * 2 * kChunk;
  static constexpr int kLeft = kA + kB + kMu;
  static constexpr int kCount = kKind == RightKind::tf32 ? 6 : 4;
  static constexpr std::size_t kBytes = 1024 + kCount * (kRight + kLeft) + kCount * 8;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// 16 samples' left factors for a lane: [product][register], low parts behind.
template <RightKind kKind>
struct LeftRegisters {
  static constexpr int kParts = kKind == RightKind::split ? 2 : 1;
  std::uint32_t at[kParts][2][kKind == RightKind::tf32 ? 8 : 4];
};

__device__ inline std::uint32_t pair_of(float low, float high) {
  __half2 const h = __floats2half2_rn(low, high);
  return *reinterpret_cast<std::uint32_t const*>(&h);
}
__device__ inline std::uint32_t rest_of(std::uint32_t pair, float low, float high) {
  float2 const f = __half22float2(*reinterpret_cast<__half2 const*>(&pair));
  return pair_of(low - f.x, high - f.y);
}
__device__ inline std::uint32_t tf32_of(float value) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

/// Where a lane finds its numbers in a stage.
struct LaneOffsets {
  int a[2], b[2], mu;
};

template <RightKind kKind>
__device__ inline LaneOffsets lane_offsets() {
  constexpr int kSlot = left_floats(1, chunk_samples(kKind));
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, warpgroup = threadIdx.x / 128;
  int const g = lane / 4, first = 4 * (lane % 4);
  int const comp = g / 4, p = g / 2 % 2, q = g % 2;
  LaneOffsets o;
  for (int i = 0; i < 2; ++i) {
    o.a[i] = (2 * warpgroup + i) * kSlot + p * kGroup + first;
    o.b[i] = (2 * warp + i) * kSlot + q * kGroup + first;
  }
  o.mu = comp * kGroup + first;
  return o;
}

template <RightKind kKind>
__device__ inline void make_left(LeftRegisters<kKind>& left, float const* stage, LaneOffsets const& o,
                                 int group) {
  using S = Stages<kKind>;
  auto const four = [&](int offset) {
    return *reinterpret_cast<float4 const*>(stage + offset + group * 2 * kGroup);
  };
  float4 const mu = four((S::kA + S::kB) / 4 + o.mu);
  float4 const b[2] = {four(S::kA / 4 + o.b[0]), four(S::kA / 4 + o.b[1])};
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    float4 const a = four(o.a[i]);
    float4 const t{mu.x * a.x, mu.y * a.y, mu.z * a.z, mu.w * a.w};
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float4 const v{t.x * b[h].x, t.y * b[h].y, t.z * b[h].z, t.w * b[h].w};
      if constexpr (kKind == RightKind::tf32) {
        left.at[0][i][h] = tf32_of(v.x);
        left.at[0][i][2 + h] = tf32_of(v.y);
        left.at[0][i][4 + h] = tf32_of(v.z);
        left.at[0][i][6 + h] = tf32_of(v.w);
      } else {
        left.at[0][i][h] = pair_of(v.x, v.y);
        left.at[0][i][2 + h] = pair_of(v.z, v.w);
        if constexpr (kKind == RightKind::split) {
          left.at[1][i][h] = rest_of(left.at[0][i][h], v.x, v.y);
          left.at[1][i][2 + h] = rest_of(left.at[0][i][2 + h], v.z, v.w);
        }
      }
    }
  }
}

/// The registers are complete here: made any later, between two products, the compiler would have to run the products
/// one after the other.
template <RightKind kKind>
__device__ inline void settle(LeftRegisters<kKind>& left) {
#pragma unroll
  for (auto& part : left.at) {
#pragma unroll
    for (auto& product : part) {
#pragma unroll
      for (std::uint32_t& r : product) asm volatile("" : "+r"(r)::"memory");
    }
  }
}

template <RightKind kKind>
__device__ inline void issue(float (&sums)[2][64], LeftRegisters<kKind> const& left, std::uint64_t right,
                             int group) {
  if constexpr (kKind == RightKind::tf32) {
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      std::uint64_t const b = right + group * 4 + step * 2;  // 32 bytes a step
#pragma unroll
      for (int i = 0; i < 2; ++i) product_tf32(sums[i], left.at[0][i] + 4 * step, b);
    }
  } else {
    std::uint64_t const b = right + group * 2;
#pragma unroll
    for (int i = 0; i < 2; ++i) product_f16(sums[i], left.at[0][i], b);
    if constexpr (kKind == RightKind::split) {
      constexpr int kLow = 16384 >> 4;
#pragma unroll
      for (int i = 0; i < 2; ++i) product_f16(sums[i], left.at[0][i], b + kLow);
#pragma unroll
      for (int i = 0; i < 2; ++i) product_f16(sums[i], left.at[1][i], b);
    }
  }
}

__device__ inline void add_pair(float* to, float x, float y) {
  float2 const before = *reinterpret_cast<float2*>(to);
  *reinterpret_cast<float2*>(to) = {before.x + x, before.y + y};
}
__device__ inline void add_pair(double* to, float x, float y) {
  double2 const before = *reinterpret_cast<double2*>(to);
  *reinterpret_cast<double2*>(to) = {before.x + x, before.y + y};
}

template <class Sum>
__device__ inline void flush(float (&sums)[2][64], Sum* to, std::int64_t columns) {
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, warpgroup = threadIdx.x / 128;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      int const row = ((2 * warpgroup + i) * kTileB + 2 * warp + h) * 8 + lane / 4;
      Sum* const at = to + row * columns + 2 * (lane % 4);
#pragma unroll
      for (int n = 0; n < 16; ++n) {
        add_pair(at + 8 * n, sums[i][4 * n + 2 * h], sums[i][4 * n + 2 * h + 1]);
        sums[i][4 * n + 2 * h] = sums[i][4 * n + 2 * h + 1] = 0;
      }
    }
  }
}

#endif  // sm_90a

template <RightKind kKind, class Sum>
__global__ void __launch_bounds__(kThreads, 1) gather_kernel(GatherLaunch const l, Sum* to) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using S = Stages<kKind>;
  constexpr int kGroups = S::kChunk / kGroup;
  extern __shared__ unsigned char dynamic_shared[];
  unsigned char* const base = dynamic_shared + (1024 - shared_address(dynamic_shared) % 1024) % 1024;
  unsigned char* const left_base = base + S::kCount * S::kRight;
  auto* const full = reinterpret_cast<std::uint64_t*>(left_base + S::kCount * S::kLeft);
  RowTile const tile(l.shape, static_cast<int>(blockIdx.x));
  int const tile_c = blockIdx.y;
  int const first = static_cast<int>(static_cast<long long>(l.shape.chunks) * blockIdx.z / l.splits);
  int const end = static_cast<int>(static_cast<long long>(l.shape.chunks) * (blockIdx.z + 1) / l.splits);

  auto const load = [&](int chunk) {
    int const s = (chunk - first) % S::kCount;
    unsigned char* const left = left_base + s * S::kLeft;
    long long const c = chunk;
    barrier_expect(full + s, S::kRight + S::kLeft);
    bulk_copy(base + s * S::kRight, l.tables.right + (c * l.shape.tiles_c + tile_c) * S::kRight, S::kRight,
              full + s);
    bulk_copy(left, l.tables.a + (c * l.shape.tiles_a + tile.a) * (S::kA / 4), S::kA, full + s);
    bulk_copy(left + S::kA, l.tables.b + (c * l.shape.tiles_b + tile.b) * (S::kB / 4), S::kB, full + s);
    bulk_copy(left + S::kA + S::kB, l.tables.mu + (tile.coil * l.shape.chunks + c) * (S::kMu / 4), S::kMu,
              full + s);
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::kCount; ++s) barrier_init(full + s, 1);
    barriers_ready();
    for (int chunk = first; chunk < end && chunk < first + S::kCount - 1; ++chunk) load(chunk);
  }
  __syncthreads();

  LaneOffsets const offsets = lane_offsets<kKind>();
  float sums[2][64];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int n = 0; n < 64; ++n) sums[i][n] = 0;
  }
  LeftRegisters<kKind> left[2];
  Sum* const out = to + blockIdx.z * l.shape.rows() * l.shape.columns() +
                   static_cast<std::int64_t>(blockIdx.x) * kTileRows * l.shape.columns() +
                   tile_c * kTileColumns;
  for (int chunk = first; chunk < end;) {
    int const stop = min(end, chunk + l.chunks_a_flush);
    for (; chunk < stop; ++chunk) {
      int const s = (chunk - first) % S::kCount;
      barrier_wait(full + s, (chunk - first) / S::kCount % 2);
      auto const* const stage = reinterpret_cast<float const*>(left_base + s * S::kLeft);
      std::uint64_t const right = matrix_at(base + s * S::kRight);
// Two batches a turn, in registers of their own. Unrolled further, the compiler (nvcc 13.0) shares registers
// between batches, and has the products wait for each other.
#pragma unroll 1
      for (int pair = 0; pair < kGroups; pair += 2) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          make_left(left[i], stage, offsets, pair + i);
          settle(left[i]);
          products_begin();
          issue(sums, left[i], right, pair + i);
          products_commit();
          products_wait<1>();
          if (pair + i == 0) {
            // Everything up to the chunk before is done in both warpgroups: its stage may be filled again.
            __syncthreads();
            if (threadIdx.x == 0 && chunk + S::kCount - 1 < end) load(chunk + S::kCount - 1);
          }
        }
      }
    }
    products_wait<0>();
    flush(sums, out, l.shape.columns());
  }
#endif
}

template <RightKind kKind, class Sum>
void launch(Session& session, CudaRungFigures& figures, GatherLaunch const& l, Sum* sums) {
  auto* const kernel = gather_kernel<kKind, Sum>;
  constexpr std::size_t kBytes = Stages<kKind>::kBytes;
  FINDRHO_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int{kBytes}));
  dim3 const grid(static_cast<unsigned>(l.shape.coils * l.shape.row_tiles()),
                  static_cast<unsigned>(l.shape.tiles_c), static_cast<unsigned>(l.splits));
  kernel<<<grid, kThreads, kBytes, session.stream>>>(l, sums);
  check_launch("a separable rung");
  describe_separable(session, figures, reinterpret_cast<void const*>(kernel), kThreads, kBytes,
                     std::int64_t{grid.x} * grid.y * grid.z);
}

}  // namespace

bool separable_tensor_supported(int device) {
  int major = 0, minor = 0;
  FINDRHO_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  FINDRHO_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  cudaFuncAttributes attributes{};
  FINDRHO_CHECK(cudaFuncGetAttributes(&attributes, gather_kernel<RightKind::fp16, float>));
  // Built for other architectures the kernel has no body and needs next to no registers.
  return major == 9 && minor == 0 && attributes.numRegs > 128;
}

template <class Sum>
void launch_gather_tensor(Session& session, CudaRungFigures& figures, RightKind kind, GatherLaunch const& l,
                          Sum* sums) {
  if constexpr (sizeof(Sum) == sizeof(double)) {
    launch<RightKind::split>(session, figures, l, sums);
  } else {
    kind == RightKind::tf32 ? launch<RightKind::tf32>(session, figures, l, sums)
                            : launch<RightKind::fp16>(session, figures, l, sums);
  }
}
template void launch_gather_tensor(Session&, CudaRungFigures&, RightKind, GatherLaunch const&, float*);
template void launch_gather_tensor(Session&, CudaRungFigures&, RightKind, GatherLaunch const&, double*);

}  // namespace findrho::ladder
