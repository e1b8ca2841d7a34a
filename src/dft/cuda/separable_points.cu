// SPDX-License-Identifier: BSD-3-Clause
// From the sums of slots to the voxels of the grid, a thread a slot: sixteen real sums, eight voxels.
#include "dft/cuda/separable_device.hpp"
#include "dft/cuda/separable_phase.hpp"

namespace findrho::ladder {
namespace {

constexpr int kThreads = 256;

struct Slot {
  long long a, b, c, first_sum;  // of its eight rows and two columns
};

__device__ Slot slot_of(DevicePlan const& plan, SeparableShape const& shape, long long i) {
  long long const slots_c = slots_of(plan.c), slots_b = slots_of(plan.b);
  Slot s{i / slots_c / slots_b, i / slots_c % slots_b, i % slots_c, 0};
  long long const tile = s.a / kTileA * shape.tiles_b + s.b / kTileB;
  long long const row = tile * kTileRows + (s.a % kTileA * kTileB + s.b % kTileB) * 8;
  s.first_sum = row * shape.columns() + 2 * s.c;
  return s;
}

template <class Sum>
__global__ void voxels_kernel(DevicePlan plan, SeparableShape shape, int splits, long long slots,
                              Sum const* sums, unsigned const* largest, float right_scale, long long voxels,
                              float* re, float* im) {
  long long const i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
  if (i >= slots) return;
  Slot const s = slot_of(plan, shape, i);
  Complex<Sum> v[8] = {};
  for (int part = 0; part < splits; ++part) {
    Sum const* const from = sums + part * shape.rows() * shape.columns() + s.first_sum;
#pragma unroll
    for (int pq = 0; pq < 4; ++pq) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        v[2 * pq + r].re += from[pq * shape.columns() + r];
        v[2 * pq + r].im += from[(4 + pq) * shape.columns() + r];
      }
    }
  }
#pragma unroll
  for (int bit = 4; bit > 0; bit /= 2) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      if ((j & bit) != 0) continue;
      Complex<Sum> const cosine = v[j], sine = v[j | bit];
      v[j] = {cosine.re - sine.im, cosine.im + sine.re};
      v[j | bit] = {cosine.re + sine.im, cosine.im - sine.re};
    }
  }
  Sum const scale = Sum(1) / (static_cast<Sum>(mu_scale(*largest)) * static_cast<Sum>(right_scale));
#pragma unroll
  for (int side = 0; side < 8; ++side) {
    long long const n = voxel_of(plan, s.a, s.b, s.c, side);
    if (n < 0 || n >= voxels) continue;
    re[n] = static_cast<float>(v[side].re * scale);
    im[n] = static_cast<float>(v[side].im * scale);
  }
}

}  // namespace

template <class Sum>
void write_voxels(Session& session, DevicePlan const& plan, SeparableShape const& shape, int splits,
                  Sum const* sums, unsigned const* largest, float right_scale, std::int64_t voxels, float* re,
                  float* im) {
  long long const slots = plan.a.slots() * plan.b.slots() * plan.c.slots();
  voxels_kernel<<<static_cast<unsigned>((slots + kThreads - 1) / kThreads), kThreads, 0, session.stream>>>(
      plan, shape, splits, slots, sums, largest, right_scale, voxels, re, im);
  check_launch("sums to voxels");
}
template void write_voxels(Session&, DevicePlan const&, SeparableShape const&, int, float const*,
                           unsigned const*, float, std::int64_t, float*, float*);
template void write_voxels(Session&, DevicePlan const&, SeparableShape const&, int, double const*,
                           unsigned const*, float, std::int64_t, float*, float*);

}  // namespace findrho::ladder
