// SPDX-License-Identifier: BSD-3-Clause
// Phases by axis. The order of samples within a group of 16 is that in which a lane holds four of them, see position().
#include "dft/cuda/separable_device.hpp"
#include "dft/cuda/separable_phase.hpp"

namespace findrho::ladder {
namespace {

constexpr int kThreads = 256;

/// [chunk][tile][slot][group][cosine, sine][sample]: a thread a number pair, blockIdx.y the slot of all tiles.
__global__ void left_kernel(DeviceFactor f, int tile_slots, int chunk, unsigned padded, long long samples,
                            float* to) {
  unsigned const m = blockIdx.x * kThreads + threadIdx.x, slot = blockIdx.y;
  if (m >= padded) return;
  unsigned const within = m % chunk, block = m / chunk;
  Phase const p = phase_of(f, slot, m, samples);
  long long const row = static_cast<long long>(block) * f.tiles * tile_slots + slot;
  float* const at = to + row * 2 * chunk + within / kGroup * 2 * kGroup + within % kGroup;
  at[0] = p.cosine;
  at[kGroup] = p.sine;
}

/// Which sample of its chunk stands at position `at` of a row: lane tq of four holds samples 4 tq .. 4 tq + 3 of a
/// group, where the tensor instructions want 2 tq, 2 tq + 1, 2 tq + 8, 2 tq + 9 (16 bits) or tq, tq + 4 of two steps.
__device__ int sample_at_16(int at) {
  int const in = at % kGroup;
  return at - in + 4 * (in % 8 / 2) + in % 2 + 2 * (in / 8);
}
__device__ int sample_at_32(int at) {
  int const in = at % kGroup;
  return at - in + 4 * (in % 4) + in % 8 / 4 + 2 * (in / 8);
}

/// A row of 128 bytes for every column; its 16-byte units stand at unit ^ (row & 7), the 128-byte swizzle.
/// A thread makes one unit of the cosine row and of the sine row of a slot.
template <RightKind kKind>
__global__ void right_kernel(DeviceFactor f, int tiles, long long units, long long samples,
                             unsigned char* to) {
  long long const i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
  if (i >= units) return;
  constexpr int kChunk = chunk_samples(kKind), kSlots = kTileColumns / 2;
  int const unit = static_cast<int>(i % 8), slot = static_cast<int>(i / 8 % kSlots);
  auto const matrix = static_cast<unsigned>(i / 8 / kSlots), many = static_cast<unsigned>(tiles);
  long long const tile = matrix % many, block = matrix / many;
  unsigned char* const base = to + (block * tiles + tile) * right_bytes(kKind);
  auto const phase = [&](int sample) {
    return phase_of(f, tile * kSlots + slot, block * kChunk + sample, samples);
  };
  auto const place = [&](int row) { return base + row * 128 + ((unit ^ (row & 7)) << 4); };
  if constexpr (kKind == RightKind::tf32) {
    float4 c, s;
    float* const cs = &c.x;
    float* const ss = &s.x;
    for (int j = 0; j < 4; ++j) {
      Phase const p = phase(sample_at_32(unit * 4 + j));
      cs[j] = to_tf32(p.cosine);
      ss[j] = to_tf32(p.sine);
    }
    *reinterpret_cast<float4*>(place(2 * slot)) = c;
    *reinterpret_cast<float4*>(place(2 * slot + 1)) = s;
  } else {
    constexpr float kScale = kKind == RightKind::split ? kRightScale : 1;
    __align__(16) __half c[8], s[8], c_low[8], s_low[8];
    for (int j = 0; j < 8; ++j) {
      Phase const p = phase(sample_at_16(unit * 8 + j));
      c[j] = __float2half_rn(p.cosine * kScale);
      s[j] = __float2half_rn(p.sine * kScale);
      c_low[j] = __float2half_rn(p.cosine * kScale - __half2float(c[j]));
      s_low[j] = __float2half_rn(p.sine * kScale - __half2float(s[j]));
    }
    auto const store = [&](int row, int offset, __half const* from) {
      *reinterpret_cast<uint4*>(place(row) + offset) = *reinterpret_cast<uint4 const*>(from);
    };
    store(2 * slot, 0, c);
    store(2 * slot + 1, 0, s);
    if constexpr (kKind == RightKind::split) {
      store(2 * slot, 16384, c_low);
      store(2 * slot + 1, 16384, s_low);
    }
  }
}

/// [sample][column] of a chunk, for the float units.
__global__ void right_float_kernel(DeviceFactor f, int tiles, long long pairs, long long samples,
                                   float2* to) {
  long long const i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
  if (i >= pairs) return;
  constexpr int kChunk = chunk_samples(RightKind::fp32), kSlots = kTileColumns / 2;
  long long const slot = i % kSlots, within = i / kSlots % kChunk, tile = i / kSlots / kChunk % tiles,
                  block = i / kSlots / kChunk / tiles;
  Phase const p = phase_of(f, tile * kSlots + slot, block * kChunk + within, samples);
  to[i] = {p.cosine, p.sine};
}

__global__ void largest_kernel(float const* re, float const* im, long long count, unsigned* largest) {
  float most = 0;
  for (long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x; i < count;
       i += static_cast<long long>(kThreads) * gridDim.x)
    most = fmaxf(most, hypotf(re[i], im[i]));
  for (int lane = 16; lane > 0; lane /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, lane));
  if (threadIdx.x % 32 == 0)
    atomicMax(largest, __float_as_uint(most));  // not negative: bits order as numbers
}

__global__ void centre_kernel(CentredMu mu, unsigned const* largest, int chunk, long long count, float* to) {
  long long const m = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
  if (m >= count) return;
  float re = 0, im = 0;
  if (m < mu.samples) {
    double cycles = 0;
    for (int d = 0; d < 3; ++d) {
      double const part = static_cast<double>(mu.k[d][m]) * mu.centre[d];
      cycles += part - rint(part);
    }
    float s, c;
    sincospif(2 * static_cast<float>(cycles - rint(cycles)), &s, &c);
    float const scale = mu_scale(*largest), x = mu.re[m] * scale, y = mu.im[m] * scale;
    re = x * c - y * s;
    im = x * s + y * c;
  }
  long long const within = m % chunk;
  float* const at = to + (m - within) * 2 + within / kGroup * 2 * kGroup + within % kGroup;
  at[0] = re;
  at[kGroup] = im;
}

unsigned blocks(long long items) {
  return static_cast<unsigned>((items + kThreads - 1) / kThreads);
}

}  // namespace

void make_tables(Session& session, RightKind kind, SeparableShape const& shape, DeviceFactor const& a,
                 DeviceFactor const& b, DeviceFactor const& c, std::int64_t samples, unsigned char* right,
                 float* table_a, float* table_b) {
  unsigned const padded = static_cast<unsigned>(shape.chunks) * static_cast<unsigned>(shape.chunk);
  auto const left = [&](DeviceFactor const& f, int slots, float* to) {
    dim3 const grid(blocks(padded), static_cast<unsigned>(f.tiles * slots));
    left_kernel<<<grid, kThreads, 0, session.stream>>>(f, slots, shape.chunk, padded, samples, to);
    check_launch("a table of phases");
  };
  left(a, kTileA, table_a);
  left(b, kTileB, table_b);
  if (kind == RightKind::fp32) {
    long long const pairs = static_cast<long long>(shape.chunks) * shape.chunk * c.tiles * (kTileColumns / 2);
    right_float_kernel<<<blocks(pairs), kThreads, 0, session.stream>>>(c, c.tiles, pairs, samples,
                                                                       reinterpret_cast<float2*>(right));
  } else {
    long long const units = static_cast<long long>(shape.chunks) * c.tiles * (kTileColumns / 2) * 8;
    auto* const kernel = kind == RightKind::tf32   ? right_kernel<RightKind::tf32>
                         : kind == RightKind::fp16 ? right_kernel<RightKind::fp16>
                                                   : right_kernel<RightKind::split>;
    kernel<<<blocks(units), kThreads, 0, session.stream>>>(c, c.tiles, units, samples, right);
  }
  check_launch("the right factor's table");
}

void find_largest(Session& session, float const* re, float const* im, std::int64_t count, unsigned* largest) {
  FINDRHO_CHECK(cudaMemsetAsync(largest, 0, sizeof(unsigned), session.stream));
  unsigned const many = blocks(count) < 1024 ? blocks(count) : 1024;
  largest_kernel<<<many, kThreads, 0, session.stream>>>(re, im, count, largest);
  check_launch("the largest sample");
}

void centre_mu(Session& session, CentredMu const& mu, unsigned const* largest, SeparableShape const& shape,
               float* to) {
  long long const count = static_cast<long long>(shape.chunks) * shape.chunk;
  centre_kernel<<<blocks(count), kThreads, 0, session.stream>>>(mu, largest, shape.chunk, count, to);
  check_launch("the centred samples");
}

}  // namespace findrho::ladder
