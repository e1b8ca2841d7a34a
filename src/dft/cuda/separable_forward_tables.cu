// SPDX-License-Identifier: BSD-3-Clause
// F rho: tables of phases, the image folded into what multiplies them, and the results put together.
#include "dft/cuda/separable_device.hpp"
#include "dft/cuda/separable_phase.hpp"

namespace findrho::ladder {
namespace {

constexpr int kThreads = 256;

__device__ long long thread_index() {
  return blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
}
unsigned blocks(long long items) {
  return static_cast<unsigned>((items + kThreads - 1) / kThreads);
}

/// Two neighbouring columns of a matrix of `rows` rows, 128 columns deep. For the tensor cores: blocks of 128 bytes of
/// every row, swizzled, the low parts behind; for the float units: column by column.
template <RightKind kKind>
__device__ void store_pair(unsigned char* matrix, int rows, int row, int column, float x, float y) {
  if constexpr (kKind == RightKind::fp32) {
    float* const at = reinterpret_cast<float*>(matrix) + column * rows + row;
    at[0] = x;
    at[rows] = y;
  } else if constexpr (kKind == RightKind::tf32) {
    int const unit = column % 32 / 4;
    auto* const at = reinterpret_cast<float2*>(matrix + (column / 32 * rows + row) * 128 +
                                               ((unit ^ (row & 7)) << 4) + column % 4 * 4);
    *at = {to_tf32(x), to_tf32(y)};
  } else {
    int const unit = column % 64 / 8;
    unsigned char* const at =
        matrix + (column / 64 * rows + row) * 128 + ((unit ^ (row & 7)) << 4) + column % 8 * 2;
    __half2 const high = __floats2half2_rn(x, y);
    *reinterpret_cast<__half2*>(at) = high;
    if constexpr (kKind == RightKind::split) {
      float2 const f = __half22float2(high);
      *reinterpret_cast<__half2*>(at + rows * 256) = __floats2half2_rn(x - f.x, y - f.y);
    }
  }
}

/// [slot][cosine, sine][sample]
__global__ void left_kernel(DeviceFactor f, int padded, long long count, long long samples, float* to) {
  long long const i = thread_index();
  if (i >= count) return;
  long long const m = i % padded, slot = i / padded;
  Phase const p = phase_of(f, slot, m, samples);
  to[2 * slot * padded + m] = p.cosine;
  to[(2 * slot + 1) * padded + m] = p.sine;
}

template <RightKind kKind>
__global__ void phases_kernel(DeviceFactor f, long long count, long long samples, unsigned char* to) {
  long long const i = thread_index();
  if (i >= count) return;
  constexpr int kSamples = forward_samples(kKind), kSlots = kTileColumns / 2;
  int const slot = static_cast<int>(i % kSlots), m = static_cast<int>(i / kSlots % kSamples);
  long long const tile = i / kSlots / kSamples % f.tiles, block = i / kSlots / kSamples / f.tiles;
  Phase const p = phase_of(f, tile * kSlots + slot, block * kSamples + m, samples);
  constexpr float kScale = kKind == RightKind::split ? kRightScale : 1;
  store_pair<kKind>(to + (block * f.tiles + tile) * forward_bytes(kKind, kSamples), kSamples, m, 2 * slot,
                    kScale * p.cosine, kScale * p.sine);
}

/// A thread a slot of the padded tiles: what has no slot of the grid is 0.
template <RightKind kKind>
__global__ void fold_kernel(DevicePlan plan, ForwardShape shape, GridValues values, unsigned const* largest,
                            long long count, unsigned char* to) {
  long long const i = thread_index();
  if (i >= count) return;
  constexpr int kSlots = kTileColumns / 2;
  long long const c = i % (kSlots * shape.tiles_c),
                  b = i / (kSlots * shape.tiles_c) % (shape.tiles_b * kTileB),
                  a = i / (kSlots * shape.tiles_c) / (shape.tiles_b * kTileB);
  Complex<float> v[8] = {};
  if (a < slots_of(plan.a) && b < slots_of(plan.b) && c < slots_of(plan.c)) {
    float const scale = mu_scale(*largest);
    for (int side = 0; side < 8; ++side) {
      long long const n = voxel_of(plan, a, b, c, side);
      if (n >= 0 && n < values.count) v[side] = {scale * values.re[n], scale * values.im[n]};
    }
  }
#pragma unroll
  for (int bit = 4; bit > 0; bit /= 2) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      if ((j & bit) != 0) continue;
      Complex<float> const plus = v[j], minus = v[j | bit];
      v[j] = {plus.re + minus.re, plus.im + minus.im};
      v[j | bit] = {minus.im - plus.im, plus.re - minus.re};
    }
  }
  long long const tile = a / kForwardA * shape.tiles_b + b / kTileB;
  unsigned char* const matrix =
      to + (c / kSlots * shape.row_tiles() + tile) * forward_bytes(kKind, kForwardRows);
  int const row = static_cast<int>(a % kForwardA * kTileB + b % kTileB) * 8;
  int const column = static_cast<int>(2 * (c % kSlots));
#pragma unroll
  for (int pq = 0; pq < 4; ++pq) {
    store_pair<kKind>(matrix, kForwardRows, row + 2 * pq, column, v[2 * pq].re, v[2 * pq + 1].re);
    store_pair<kKind>(matrix, kForwardRows, row + 2 * pq + 1, column, v[2 * pq].im, v[2 * pq + 1].im);
  }
}

__global__ void finish_kernel(ForwardResult r, int parts, int padded, unsigned const* largest,
                              double2 const* partial) {
  long long const m = thread_index();
  if (m >= r.samples) return;
  double re = 0, im = 0, cycles = 0;
  for (int part = 0; part < parts; ++part) {
    double2 const p = partial[static_cast<long long>(part) * padded + m];
    re += p.x;
    im += p.y;
  }
  for (int d = 0; d < 3; ++d) {
    double const turns = static_cast<double>(r.k[d][m]) * r.centre[d];
    cycles += turns - rint(turns);
  }
  double s, c;
  sincospi(2 * (cycles - rint(cycles)), &s, &c);
  double const scale = 1 / (static_cast<double>(mu_scale(*largest)) * r.right_scale);
  r.re[m] = static_cast<float>(scale * (re * c - im * s));
  r.im[m] = static_cast<float>(scale * (re * s + im * c));
}

template <class F>
void with_kind(RightKind kind, F const& f) {
  switch (kind) {
    case RightKind::fp32:
      return f(std::integral_constant<RightKind, RightKind::fp32>{});
    case RightKind::tf32:
      return f(std::integral_constant<RightKind, RightKind::tf32>{});
    case RightKind::fp16:
      return f(std::integral_constant<RightKind, RightKind::fp16>{});
    case RightKind::split:
      return f(std::integral_constant<RightKind, RightKind::split>{});
  }
}

}  // namespace

void make_forward_tables(Session& session, RightKind kind, ForwardShape const& shape, DeviceFactor const& a,
                         DeviceFactor const& b, DeviceFactor const& c, std::int64_t samples,
                         unsigned char* phases, float* table_a, float* table_b) {
  auto const left = [&](DeviceFactor const& f, int slots, float* to) {
    long long const count = static_cast<long long>(slots) * shape.padded;
    left_kernel<<<blocks(count), kThreads, 0, session.stream>>>(f, shape.padded, count, samples, to);
    check_launch("a table of phases");
  };
  left(a, shape.tiles_a * kForwardA, table_a);
  left(b, shape.tiles_b * kTileB, table_b);
  long long const count = static_cast<long long>(shape.padded) * c.tiles * (kTileColumns / 2);
  with_kind(kind, [&](auto k) {
    phases_kernel<k.value><<<blocks(count), kThreads, 0, session.stream>>>(c, count, samples, phases);
  });
  check_launch("the samples' phases");
}

void fold_voxels(Session& session, RightKind kind, DevicePlan const& plan, ForwardShape const& shape,
                 GridValues const& values, unsigned const* largest, unsigned char* rows) {
  long long const count = static_cast<long long>(shape.tiles_a * kForwardA) * (shape.tiles_b * kTileB) *
                          (shape.tiles_c * (kTileColumns / 2));
  with_kind(kind, [&](auto k) {
    fold_kernel<k.value>
        <<<blocks(count), kThreads, 0, session.stream>>>(plan, shape, values, largest, count, rows);
  });
  check_launch("voxels to sums");
}

void finish_forward(Session& session, ForwardResult const& result, ForwardShape const& shape,
                    unsigned const* largest, double2 const* partial) {
  finish_kernel<<<blocks(result.samples), kThreads, 0, session.stream>>>(result, shape.parts(), shape.padded,
                                                                         largest, partial);
  check_launch("the results of F rho");
}

}  // namespace findrho::ladder
