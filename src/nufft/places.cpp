// SPDX-License-Identifier: BSD-3-Clause
// Highway: this file is compiled once per instruction set, the best one is called. The arithmetic is place()'s, step by
// step and without fused operations, so that all give the same bits.
#include "nufft/places.hpp"

#include <algorithm>

#include "backend/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nufft/places.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace findrho::nufft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
static_assert(kPlaces % kLanes == 0);

/// The next kLanes values, zeros beyond the last one.
HWY_INLINE V load(double const* k, int left) {
  D const d;
  if (left >= kLanes) return hn::LoadU(d, k);
  alignas(64) double some[kLanes] = {};
  std::copy_n(k, left, some);
  return hn::Load(d, some);
}

struct AxisPlace {
  V cell, fraction;
  hn::Mask<D> ordinary;
};

HWY_INLINE AxisPlace place(PlaceAxis const& axis, V k) {
  D const d;
  V const turns = hn::Mul(k, hn::Set(d, axis.periods)), grid = hn::Set(d, axis.grid),
          half = hn::Set(d, axis.half);
  auto const ordinary = hn::Lt(hn::Abs(turns), hn::Set(d, 1e15));
  V p = hn::NegMulAdd(grid, hn::Floor(turns), hn::Mul(k, hn::Set(d, axis.cells)));
  p = hn::IfThenElseZero(hn::And(hn::Ge(p, hn::Zero(d)), hn::Lt(p, grid)), p);
  V const first = hn::Ceil(hn::Sub(p, half));
  V const fraction = hn::Sub(hn::Add(hn::Sub(first, p), half), hn::Set(d, 0.5));
  return {hn::IfThenElseZero(ordinary, first), hn::IfThenElseZero(ordinary, fraction), ordinary};
}

HWY_INLINE void store_fraction(V v, double* to) {
  hn::StoreU(v, D(), to);
}
HWY_INLINE void store_fraction(V v, float* to) {
  hn::Rebind<float, D> const d;
  hn::StoreU(hn::DemoteTo(d, v), d, to);
}

/// Whole numbers from 0 to 2^32 - 1; the conversion is to signed ones.
HWY_INLINE void store_whole(V v, std::uint32_t* to) {
  constexpr double kMiddle = 2147483648.0;
  hn::Rebind<std::int32_t, D> const d;
  hn::Rebind<std::uint32_t, D> const du;
  auto const from_middle = hn::BitCast(du, hn::DemoteTo(d, hn::Sub(v, hn::Set(D(), kMiddle))));
  hn::StoreU(hn::Xor(from_middle, hn::Set(du, 0x80000000u)), du, to);
}

template <int dims, class T>
bool find(std::array<PlaceAxis, 3> const& axes, std::int64_t first, int count, Places<T>& places) {
  D const d;
  auto all = hn::Eq(hn::Zero(d), hn::Zero(d));
  for (int i = 0; i < count; i += kLanes) {
    V cell = hn::Zero(d), tile = hn::Zero(d);
    for (int axis = 0; axis < dims; ++axis) {
      PlaceAxis const& a = axes[static_cast<std::size_t>(axis)];
      AxisPlace const at = place(a, load(a.k + first + i, count - i));
      V const in_grid = hn::Add(at.cell, hn::Set(d, a.low));
      cell = hn::MulAdd(in_grid, hn::Set(d, a.step), cell);
      // Half a cell keeps the product away from whole numbers, where its rounding would matter.
      V const of_axis = hn::Floor(hn::Mul(hn::Add(in_grid, hn::Set(d, 0.5)), hn::Set(d, a.per_tile)));
      tile = hn::MulAdd(of_axis, hn::Set(d, a.tile_step), tile);
      store_fraction(at.fraction, places.fraction[axis] + i);
      all = hn::And(all, at.ordinary);
    }
    store_whole(cell, places.cell + i);
    store_whole(tile, places.tile + i);
  }
  return hn::AllTrue(d, all);
}

template <class T>
bool find_any(std::array<PlaceAxis, 3> const& axes, int dims, std::int64_t first, int count,
              Places<T>& places) {
  return dims == 2 ? find<2>(axes, first, count, places) : find<3>(axes, first, count, places);
}

bool find_f32(std::array<PlaceAxis, 3> const& axes, int dims, std::int64_t first, int count,
              Places<float>& places) {
  return find_any(axes, dims, first, count, places);
}
bool find_f64(std::array<PlaceAxis, 3> const& axes, int dims, std::int64_t first, int count,
              Places<double>& places) {
  return find_any(axes, dims, first, count, places);
}

}  // namespace findrho::nufft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace findrho::nufft {

HWY_EXPORT(find_f32);
HWY_EXPORT(find_f64);

template <>
bool find_places(std::array<PlaceAxis, 3> const& axes, int dims, std::int64_t first, int count,
                 Places<float>& places) {
  return HWY_DYNAMIC_DISPATCH(find_f32)(axes, dims, first, count, places);
}
template <>
bool find_places(std::array<PlaceAxis, 3> const& axes, int dims, std::int64_t first, int count,
                 Places<double>& places) {
  return HWY_DYNAMIC_DISPATCH(find_f64)(axes, dims, first, count, places);
}

}  // namespace findrho::nufft
#endif
