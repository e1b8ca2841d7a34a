// SPDX-License-Identifier: BSD-3-Clause
// Batched line transforms in Highway: this file is compiled once per instruction set, the best one is called.
#include "backend/cpu/line_fft.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "backend/cpu/targets.hpp"
#include "findrho/core/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/line_fft.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace findrho::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::CappedTag<T, kLines<T>>;

// Constructors of its own: those that compilers make are not compiled for the target (GCC on ARM refuses them).
template <class V>
struct Complex {
  V re, im;
  HWY_INLINE Complex() {}
  HWY_INLINE Complex(V re_, V im_) : re(re_), im(im_) {}
};
template <class V>
HWY_INLINE Complex<V> operator+(Complex<V> a, Complex<V> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class V>
HWY_INLINE Complex<V> operator-(Complex<V> a, Complex<V> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
/// a - i b, a + i b
template <class V>
HWY_INLINE Complex<V> minus_i(Complex<V> a, Complex<V> b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
template <class V>
HWY_INLINE Complex<V> plus_i(Complex<V> a, Complex<V> b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
/// a + s b for real s
template <class V>
HWY_INLINE Complex<V> fma(Complex<V> a, V s, Complex<V> b) {
  return {hn::MulAdd(s, b.re, a.re), hn::MulAdd(s, b.im, a.im)};
}
template <class V>
HWY_INLINE Complex<V> times(V s, Complex<V> a) {
  return {hn::Mul(s, a.re), hn::Mul(s, a.im)};
}
template <class V>
HWY_INLINE Complex<V> rotate(Complex<V> a, V re, V im) {
  return {hn::NegMulAdd(a.im, im, hn::Mul(a.re, re)), hn::MulAdd(a.im, re, hn::Mul(a.re, im))};
}

// The forward transform of R values in place.
template <class D, class V>
HWY_INLINE void butterfly(D, Complex<V> (&a)[2]) {
  Complex<V> const s = a[0] + a[1];
  a[1] = a[0] - a[1];
  a[0] = s;
}
template <class D, class V>
HWY_INLINE void butterfly(D d, Complex<V> (&a)[3]) {
  using T = hn::TFromD<D>;
  V const half = hn::Set(d, T(-0.5)), sine = hn::Set(d, T(0.866025403784438646763723170752936183L));
  Complex<V> const sum = a[1] + a[2], rest = times(sine, a[1] - a[2]), base = fma(a[0], half, sum);
  a[0] = a[0] + sum;
  a[1] = minus_i(base, rest);
  a[2] = plus_i(base, rest);
}
template <class D, class V>
HWY_INLINE void butterfly(D, Complex<V> (&a)[4]) {
  Complex<V> const s02 = a[0] + a[2], d02 = a[0] - a[2], s13 = a[1] + a[3], d13 = a[1] - a[3];
  a[0] = s02 + s13;
  a[1] = minus_i(d02, d13);
  a[2] = s02 - s13;
  a[3] = plus_i(d02, d13);
}
template <class D, class V>
HWY_INLINE void butterfly(D d, Complex<V> (&a)[5]) {
  using T = hn::TFromD<D>;
  V const c1 = hn::Set(d, T(0.309016994374947424102293417182819059L));
  V const c2 = hn::Set(d, T(-0.809016994374947424102293417182819059L));
  V const s1 = hn::Set(d, T(0.951056516295153572116439333379382143L));
  V const s2 = hn::Set(d, T(0.587785252292473129168705954639072769L));
  Complex<V> const s14 = a[1] + a[4], d14 = a[1] - a[4], s23 = a[2] + a[3], d23 = a[2] - a[3];
  Complex<V> const b1 = fma(fma(a[0], c1, s14), c2, s23), b2 = fma(fma(a[0], c2, s14), c1, s23);
  Complex<V> const r1 = fma(times(s1, d14), s2, d23), r2 = times(s2, d14) - times(s1, d23);
  a[0] = a[0] + s14 + s23;
  a[1] = minus_i(b1, r1);
  a[4] = plus_i(b1, r1);
  a[2] = minus_i(b2, r2);
  a[3] = plus_i(b2, r2);
}

/// y[q + s (R p + k)] = exp(-i 2 pi p k / n) sum_j x[q + s (p + j n/R)] exp(-i 2 pi j k / R), each a batch of
/// lines.
template <int R, class T>
HWY_NOINLINE void pass(typename LinePlan<T>::Pass const& step, T const* twiddles, T const* re, T const* im,
                       T* to_re, T* to_im) {
  Lanes<T> const d;
  using V = hn::Vec<decltype(d)>;
  std::int64_t const m = step.n / R, block = step.stride * kLines<T>,
                     lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t p = 0; p < m; ++p) {
    T const* const w = twiddles + step.twiddle + 2 * (R - 1) * p;
    for (std::int64_t q = 0; q < block; q += lanes) {
      Complex<V> a[R];
      for (int j = 0; j < R; ++j) {
        std::int64_t const at = q + block * (p + j * m);
        a[j] = {hn::Load(d, re + at), hn::Load(d, im + at)};
      }
      butterfly(d, a);
      for (int k = 0; k < R; ++k) {
        if (k > 0 && m > 1) a[k] = rotate(a[k], hn::Set(d, w[2 * k - 2]), hn::Set(d, w[2 * k - 1]));
        std::int64_t const at = q + block * (R * p + k);
        hn::Store(a[k].re, d, to_re + at);
        hn::Store(a[k].im, d, to_im + at);
      }
    }
  }
}

/// Calls f with the run length of a side as a compile-time constant, so that its copies are single moves.
template <class T, class F>
HWY_INLINE void with_run(int run, F const& f) {
  switch (run) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 4:
      return f(std::integral_constant<int, 4>());
    case 8:
      return f(std::integral_constant<int, 8>());
    default:
      return f(std::integral_constant<int, kLines<T>>());
  }
}

/// Elements first, ..., first + count - 1 of every lane, side by side. Lane by lane, so that each line is read in
/// sequence, and long before the packed vectors are loaded: loading what was just stored in pieces stalls.
template <int Run, class T>
void pack(LineSide<T> const& from, int lanes, std::int64_t first, std::int64_t count, T* packed) {
  for (int l = 0; l < lanes; l += Run) {
    T const* source = from.data + 2 * (first * from.stride + from.offset[l]);
    T* target = packed + 2 * l;
    std::size_t const bytes = sizeof(T) * 2 * static_cast<std::size_t>(std::min(Run, lanes - l));
    for (std::int64_t i = 0; i < count; ++i, source += 2 * from.stride, target += 2 * kLines<T>) {
      if (from.offset[l] < 0) {
        std::memset(target, 0, bytes);
      } else if (lanes - l >= Run) {
        std::memcpy(target, source, sizeof(T) * 2 * Run);
      } else {
        std::memcpy(target, source, bytes);
      }
    }
  }
}

template <int Run, class T>
void unpack(T const* packed, int lanes, std::int64_t first, std::int64_t count, Write write,
            LineSide<T> const& to) {
  for (int l = 0; l < lanes; l += Run) {
    if (to.offset[l] < 0) continue;
    T const* source = packed + 2 * l;
    T* target = to.data + 2 * (first * to.stride + to.offset[l]);
    int const take = 2 * std::min(Run, lanes - l);
    for (std::int64_t i = 0; i < count; ++i, source += 2 * kLines<T>, target += 2 * to.stride) {
      if (write == Write::add) {
        for (int j = 0; j < take; ++j) target[j] += source[j];
      } else if (lanes - l >= Run) {
        std::memcpy(target, source, sizeof(T) * 2 * Run);
      } else {
        std::memcpy(target, source, sizeof(T) * static_cast<std::size_t>(take));
      }
    }
  }
}

template <class T>
HWY_INLINE void clear_cells(std::int64_t n, std::int64_t first, std::int64_t count, T* re, T* im) {
  std::int64_t const before_wrap = std::min(n - first, count);
  for (T* part : {re, im}) {
    std::fill_n(part + first * kLines<T>, before_wrap * kLines<T>, T(0));
    std::fill_n(part, (count - before_wrap) * kLines<T>, T(0));
  }
}

/// Copies in: separates real and imaginary parts, puts zeros where the input has no element.
template <class T>
void load(std::int64_t n, LineBatch<T> const& batch, T* re, T* im, T* stage) {
  Lanes<T> const d;
  LineSide<T> const& from = batch.from;
  constexpr int L = kLines<T>;
  int const lanes = static_cast<int>(hn::Lanes(d));
  if (from.count < n) clear_cells(n, (from.start + from.count) % n, n - from.count, re, im);
  bool const direct = from.run == L && batch.lanes == L;
  bool const scaled = batch.element_scale != nullptr && !batch.inverse;
  std::int64_t cell = from.start % n;
  for (std::int64_t first = 0; first < from.count; first += kStage) {
    std::int64_t const count = std::min<std::int64_t>(kStage, from.count - first);
    if (!direct) with_run<T>(from.run, [&](auto run) { pack<run>(from, batch.lanes, first, count, stage); });
    T const* source = direct ? from.data + 2 * (first * from.stride + from.offset[0]) : stage;
    std::int64_t const step = 2 * (direct ? from.stride : L);
    for (std::int64_t i = first; i < first + count; ++i, source += step) {
      for (int v = 0; v < L; v += lanes) {
        hn::Vec<decltype(d)> a, b;
        hn::LoadInterleaved2(d, source + 2 * v, a, b);
        if (scaled) {
          auto const s = hn::Mul(hn::Set(d, batch.element_scale[i]), hn::LoadU(d, batch.lane_scale + v));
          a = hn::Mul(a, s);
          b = hn::Mul(b, s);
        }
        hn::Store(a, d, re + cell * L + v);
        hn::Store(b, d, im + cell * L + v);
      }
      if (++cell == n) cell = 0;
    }
  }
}

/// Copies out what is wanted.
template <class T>
void store(std::int64_t n, LineBatch<T> const& batch, T const* re, T const* im, T* stage) {
  Lanes<T> const d;
  LineSide<T> const& to = batch.to;
  constexpr int L = kLines<T>;
  int const lanes = static_cast<int>(hn::Lanes(d));
  bool const direct = to.run == L && batch.lanes == L && batch.write == Write::replace;
  bool const scaled = batch.element_scale != nullptr && batch.inverse;
  std::int64_t cell = to.start % n;
  for (std::int64_t first = 0; first < to.count; first += kStage) {
    std::int64_t const count = std::min<std::int64_t>(kStage, to.count - first);
    T* target = direct ? to.data + 2 * (first * to.stride + to.offset[0]) : stage;
    std::int64_t const step = 2 * (direct ? to.stride : L);
    for (std::int64_t i = first; i < first + count; ++i, target += step) {
      for (int v = 0; v < L; v += lanes) {
        auto a = hn::Load(d, re + cell * L + v), b = hn::Load(d, im + cell * L + v);
        if (scaled) {
          auto const s = hn::Mul(hn::Set(d, batch.element_scale[i]), hn::LoadU(d, batch.lane_scale + v));
          a = hn::Mul(a, s);
          b = hn::Mul(b, s);
        }
        hn::StoreInterleaved2(a, b, d, target + 2 * v);
      }
      if (++cell == n) cell = 0;
    }
    if (!direct) {
      with_run<T>(to.run, [&](auto run) { unpack<run>(stage, batch.lanes, first, count, batch.write, to); });
    }
  }
}

template <class T>
void transform(LinePlan<T> const& plan, LineBatch<T> const& batch, T* scratch) {
  std::int64_t const part = plan.n * kLines<T>;
  T *re = scratch, *im = re + part, *to_re = im + part, *to_im = to_re + part, *stage = to_im + part;
  load(plan.n, batch, re, im, stage);
  // The inverse is the forward transform with real and imaginary parts exchanged.
  if (batch.inverse) {
    std::swap(re, im);
    std::swap(to_re, to_im);
  }
  for (typename LinePlan<T>::Pass const& step : plan.passes) {
    switch (step.radix) {
      case 2:
        pass<2, T>(step, plan.twiddles.data(), re, im, to_re, to_im);
        break;
      case 3:
        pass<3, T>(step, plan.twiddles.data(), re, im, to_re, to_im);
        break;
      case 4:
        pass<4, T>(step, plan.twiddles.data(), re, im, to_re, to_im);
        break;
      default:
        pass<5, T>(step, plan.twiddles.data(), re, im, to_re, to_im);
        break;
    }
    std::swap(re, to_re);
    std::swap(im, to_im);
  }
  if (batch.inverse) std::swap(re, im);
  store(plan.n, batch, re, im, stage);
}

void transform_f32(LinePlan<float> const& plan, LineBatch<float> const& batch, float* scratch) {
  transform(plan, batch, scratch);
}
void transform_f64(LinePlan<double> const& plan, LineBatch<double> const& batch, double* scratch) {
  transform(plan, batch, scratch);
}

}  // namespace findrho::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace findrho::cpu {

HWY_EXPORT(transform_f32);
HWY_EXPORT(transform_f64);

template <>
void transform_lines(LinePlan<float> const& plan, LineBatch<float> const& batch, float* scratch) {
  HWY_DYNAMIC_DISPATCH(transform_f32)(plan, batch, scratch);
}
template <>
void transform_lines(LinePlan<double> const& plan, LineBatch<double> const& batch, double* scratch) {
  HWY_DYNAMIC_DISPATCH(transform_f64)(plan, batch, scratch);
}

template <class T>
LinePlan<T>::LinePlan(std::int64_t length) : n(length) {
  std::int64_t left = length, stride = 1;
  for (int radix : {4, 5, 3, 2}) {
    for (; left % radix == 0; left /= radix) {
      passes.push_back({radix, left, stride, static_cast<std::int64_t>(twiddles.size())});
      for (std::int64_t p = 0; p < left / radix; ++p) {
        for (int k = 1; k < radix; ++k) {
          double const angle =
              -2 * std::numbers::pi * static_cast<double>(p * k % left) / static_cast<double>(left);
          twiddles.push_back(static_cast<T>(std::cos(angle)));
          twiddles.push_back(static_cast<T>(std::sin(angle)));
        }
      }
      stride *= radix;
    }
  }
  if (left != 1) {
    throw Error(ErrorKind::bad_shape,
                "a grid of " + std::to_string(length) + " cells has a prime factor above 5",
                "take the grid's size from good_size()");
  }
}
template struct LinePlan<float>;
template struct LinePlan<double>;

}  // namespace findrho::cpu
#endif
