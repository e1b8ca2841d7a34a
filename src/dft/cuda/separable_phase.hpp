// SPDX-License-Identifier: BSD-3-Clause
// Small device functions of the separable kernels: a phase, a rounding, and where the voxels of a slot are.
#pragma once
#include "dft/cuda/separable_device.hpp"

namespace findrho::ladder {
namespace {

struct Phase {
  float cosine, sine;
};

/// Cycles are formed and reduced in double; a fraction of a turn then keeps 24 bits in float.
__device__ inline Phase phase_of(DeviceFactor const& f, long long slot, long long sample, long long samples) {
  double const k = sample < samples ? static_cast<double>(f.k[sample]) : 0;
  double const cycles = k * f.step * (f.first_offset + static_cast<double>(slot));
  Phase p;
  sincospif(2 * static_cast<float>(cycles - rint(cycles)), &p.sine, &p.cosine);
  return p;
}

__device__ inline float to_tf32(float value) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits);
}

template <class T>
struct Complex {
  T re, im;
};

__device__ inline long long slots_of(GridAxis const& axis) {
  return (axis.size + 1) / 2;
}

/// The voxel of a slot on the minus side of a (bit 2), b (bit 1), c (bit 0) or the plus side; -1: none.
/// As points_of() in separable_plan.hpp.
__device__ inline long long voxel_of(DevicePlan const& plan, long long sa, long long sb, long long sc,
                                     int side) {
  auto const index = [](GridAxis const& axis, long long slot, bool minus) -> long long {
    long long const plus = axis.size / 2 + slot, other = (axis.size - 1) / 2 - slot;
    return minus ? (plus == other ? -1 : other) : plus;
  };
  long long const a = index(plan.a, sa, side & 4), b = index(plan.b, sb, side & 2),
                  c = index(plan.c, sc, side & 1);
  if (a < 0 || b < 0 || c < 0) return -1;
  if (plan.row > 0 && a + b * plan.stride_b >= plan.row) return -1;
  return a * plan.stride_a + b * plan.stride_b + c * plan.stride_c;
}

}  // namespace
}  // namespace findrho::ladder
