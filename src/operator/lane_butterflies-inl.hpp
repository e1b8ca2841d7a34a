// SPDX-License-Identifier: BSD-3-Clause
// Complex vectors and the small transforms of 2, 3, 4, 5, 8 and 9 of them, for the instruction set being compiled: included
// once per target by lane_fft.cpp, hence the guard that Highway toggles.
#if defined(FINDRHO_LANE_BUTTERFLIES) == defined(HWY_TARGET_TOGGLE)
#ifdef FINDRHO_LANE_BUTTERFLIES
#undef FINDRHO_LANE_BUTTERFLIES
#else
#define FINDRHO_LANE_BUTTERFLIES
#endif

#include <hwy/highway.h>

#include "operator/lane_fft.hpp"

HWY_BEFORE_NAMESPACE();
namespace findrho::lanes::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, static_cast<std::size_t>(kLanes<T>)>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

/// Lanes that one register holds.
template <class T>
inline constexpr std::int64_t kVector = static_cast<std::int64_t>(hn::MaxLanes(Tag<T>()));

enum class Direction { forward, inverse };

// Constructors of its own: those that compilers make are not compiled for the target (GCC on ARM refuses them).
template <class T>
struct Complex {
  Vec<T> re, im;
  HWY_INLINE Complex() {}
  HWY_INLINE Complex(Vec<T> re_, Vec<T> im_) : re(re_), im(im_) {}
};
template <class T>
HWY_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class T>
HWY_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
/// a + s b for real s
template <class T>
HWY_INLINE Complex<T> add_scaled(Complex<T> a, Vec<T> s, Complex<T> b) {
  return {hn::MulAdd(s, b.re, a.re), hn::MulAdd(s, b.im, a.im)};
}
template <class T>
HWY_INLINE Complex<T> scaled(Vec<T> s, Complex<T> a) {
  return {hn::Mul(s, a.re), hn::Mul(s, a.im)};
}
/// a - i b forward, a + i b inverse; along() is the one, against() the other
template <Direction D, class T>
HWY_INLINE Complex<T> along(Complex<T> a, Complex<T> b) {
  if constexpr (D == Direction::forward) return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
template <Direction D, class T>
HWY_INLINE Complex<T> against(Complex<T> a, Complex<T> b) {
  return along < D == Direction::forward ? Direction::inverse : Direction::forward > (a, b);
}
/// a w forward, a conj(w) inverse
template <Direction D, class T>
HWY_INLINE Complex<T> rotate(Complex<T> a, T const* w) {
  Tag<T> const d;
  Vec<T> const re = hn::Set(d, w[0]), im = hn::Set(d, w[1]);
  if constexpr (D == Direction::forward) {
    return {hn::NegMulAdd(a.im, im, hn::Mul(a.re, re)), hn::MulAdd(a.im, re, hn::Mul(a.re, im))};
  }
  return {hn::MulAdd(a.im, im, hn::Mul(a.re, re)), hn::NegMulAdd(a.re, im, hn::Mul(a.im, re))};
}

template <class T>
HWY_INLINE Complex<T> load(T const* row) {
  Tag<T> const d;
  return {hn::Load(d, row), hn::Load(d, row + kLanes<T>)};
}
template <class T>
HWY_INLINE void store(Complex<T> a, T* row) {
  Tag<T> const d;
  hn::Store(a.re, d, row);
  hn::Store(a.im, d, row + kLanes<T>);
}
/// Past the caches.
template <class T>
HWY_INLINE void stream(Complex<T> a, T* row) {
  Tag<T> const d;
  hn::Stream(a.re, d, row);
  hn::Stream(a.im, d, row + kLanes<T>);
}

// a[q] = sum_j a[j] exp(-+i 2 pi j q / R)
template <Direction D, class T>
HWY_INLINE void butterfly(Complex<T> (&a)[2]) {
  Complex<T> const sum = a[0] + a[1];
  a[1] = a[0] - a[1];
  a[0] = sum;
}
template <Direction D, class T>
HWY_INLINE void butterfly(Complex<T> (&a)[3]) {
  Tag<T> const d;
  Complex<T> const sum = a[1] + a[2];
  Complex<T> const rest = scaled(hn::Set(d, static_cast<T>(0.86602540378443864676L)), a[1] - a[2]);
  Complex<T> const base = add_scaled(a[0], hn::Set(d, static_cast<T>(-0.5)), sum);
  a[0] = a[0] + sum;
  a[1] = along<D>(base, rest);
  a[2] = against<D>(base, rest);
}
template <Direction D, class T>
HWY_INLINE void butterfly(Complex<T> (&a)[4]) {
  Complex<T> const s02 = a[0] + a[2], d02 = a[0] - a[2], s13 = a[1] + a[3], d13 = a[1] - a[3];
  a[0] = s02 + s13;
  a[1] = along<D>(d02, d13);
  a[2] = s02 - s13;
  a[3] = against<D>(d02, d13);
}
template <Direction D, class T>
HWY_INLINE void butterfly(Complex<T> (&a)[5]) {
  Tag<T> const d;
  Vec<T> const c1 = hn::Set(d, static_cast<T>(0.30901699437494742410L));
  Vec<T> const c2 = hn::Set(d, static_cast<T>(-0.80901699437494742410L));
  Vec<T> const s1 = hn::Set(d, static_cast<T>(0.95105651629515357212L));
  Vec<T> const s2 = hn::Set(d, static_cast<T>(0.58778525229247312917L));
  Complex<T> const s14 = a[1] + a[4], d14 = a[1] - a[4], s23 = a[2] + a[3], d23 = a[2] - a[3];
  Complex<T> const b1 = add_scaled(add_scaled(a[0], c1, s14), c2, s23);
  Complex<T> const b2 = add_scaled(add_scaled(a[0], c2, s14), c1, s23);
  Complex<T> const r1 = add_scaled(scaled(s1, d14), s2, d23), r2 = scaled(s2, d14) - scaled(s1, d23);
  a[0] = a[0] + s14 + s23;
  a[1] = along<D>(b1, r1);
  a[4] = against<D>(b1, r1);
  a[2] = along<D>(b2, r2);
  a[3] = against<D>(b2, r2);
}
template <Direction D, class T>
HWY_INLINE void butterfly(Complex<T> (&a)[8]) {
  Tag<T> const d;
  Vec<T> const half_root = hn::Set(d, static_cast<T>(0.70710678118654752440L));
  Complex<T> even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
  butterfly<D>(even);
  butterfly<D>(odd);
  // odd[1] and odd[3] by the eighth roots (1 -+ i)/sqrt 2 and (-1 -+ i)/sqrt 2
  Complex<T> const r1 = scaled(half_root, along<D>(odd[1], odd[1]));
  Complex<T> const r3 = scaled(half_root, against<D>(odd[3], odd[3]));
  a[0] = even[0] + odd[0];
  a[4] = even[0] - odd[0];
  a[1] = even[1] + r1;
  a[5] = even[1] - r1;
  a[2] = along<D>(even[2], odd[2]);
  a[6] = against<D>(even[2], odd[2]);
  a[3] = even[3] - r3;
  a[7] = even[3] + r3;
}

// Three by three: q = q1 + 3 q2, j = 3 j1 + j2, and exp(-+i 2 pi j2 q1 / 9) in between.
template <Direction D, class T>
HWY_INLINE void butterfly(Complex<T> (&a)[9]) {
  constexpr T kRoots[3][2] = {
      {static_cast<T>(0.76604444311897803520L), static_cast<T>(-0.64278760968653932632L)},
      {static_cast<T>(0.17364817766693034885L), static_cast<T>(-0.98480775301220805937L)},
      {static_cast<T>(-0.93969262078590838405L), static_cast<T>(-0.34202014332566873304L)}};
  Complex<T> first[3] = {a[0], a[3], a[6]}, second[3] = {a[1], a[4], a[7]}, third[3] = {a[2], a[5], a[8]};
  butterfly<D>(first);
  butterfly<D>(second);
  butterfly<D>(third);
  second[1] = rotate<D>(second[1], kRoots[0]);
  second[2] = rotate<D>(second[2], kRoots[1]);
  third[1] = rotate<D>(third[1], kRoots[1]);
  third[2] = rotate<D>(third[2], kRoots[2]);
  for (int q = 0; q < 3; ++q) {
    Complex<T> across[3] = {first[q], second[q], third[q]};
    butterfly<D>(across);
    for (int p = 0; p < 3; ++p) a[q + 3 * p] = across[p];
  }
}

}  // namespace findrho::lanes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
