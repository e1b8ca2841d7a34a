// SPDX-License-Identifier: BSD-3-Clause
// Decimation in frequency forward, in time backward, in Highway: compiled once per instruction set, the best
// is called.
#include "operator/lane_fft.hpp"

#include <algorithm>
#include <type_traits>

#include "backend/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operator/lane_fft.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "operator/lane_butterflies-inl.hpp"
#include "operator/lane_moves-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace findrho::lanes::HWY_NAMESPACE {

/// One pass over the blocks of rows [0, count) of a tile, in place.
template <int R, Direction D, class T>
void pass(typename LaneFft<T>::Pass const& step, T const* twiddles, T* tile, std::int64_t count) {
  std::int64_t const part = step.block / R;
  for (std::int64_t first = 0; first < count; first += step.block) {
    for (std::int64_t n = 0; n < part; ++n) {
      T const* const w = twiddles + step.twiddle + 2 * (R - 1) * n;
      for (std::int64_t v = 0; v < kLanes<T>; v += kVector<T>) {
        T* const rows = tile + (first + n) * kRow<T> + v;
        Complex<T> a[R];
        for (int q = 0; q < R; ++q) {
          a[q] = load(rows + q * part * kRow<T>);
          if (D == Direction::inverse && q > 0) a[q] = rotate<D>(a[q], w + 2 * q - 2);
        }
        butterfly<D>(a);
        for (int q = 0; q < R; ++q) {
          if (D == Direction::forward && q > 0) a[q] = rotate<D>(a[q], w + 2 * q - 2);
          store(a[q], rows + q * part * kRow<T>);
        }
      }
    }
  }
}

/// The pass of length R both ways, with the multiplication in between, on groups of R neighbouring rows. The
/// last pass of a transform has no twiddle factors.
template <int R, class T>
void last_pass_times_spectrum(T const* spectrum, T* tile, std::int64_t count) {
  for (std::int64_t first = 0; first < count; first += R) {
    for (std::int64_t v = 0; v < kLanes<T>; v += kVector<T>) {
      Complex<T> a[R];
      for (int q = 0; q < R; ++q) a[q] = load(tile + (first + q) * kRow<T> + v);
      butterfly<Direction::forward>(a);
      for (int q = 0; q < R; ++q)
        a[q] = scaled(hn::Load(Tag<T>(), spectrum + (first + q) * kLanes<T> + v), a[q]);
      butterfly<Direction::inverse>(a);
      for (int q = 0; q < R; ++q) store(a[q], tile + (first + q) * kRow<T> + v);
    }
  }
}

/// The last pass alone, from rows to rows, which may be the same.
template <int R, Direction D, Destination To, class T>
void last_pass(Rows<T const> from, Rows<T> to) {
  for (std::int64_t first = 0; first < from.count; first += R) {
    for (std::int64_t v = 0; v < kLanes<T>; v += kVector<T>) {
      Complex<T> a[R];
      for (int q = 0; q < R; ++q) a[q] = load(from.data + (first + q) * from.stride + v);
      butterfly<D>(a);
      for (int q = 0; q < R; ++q) {
        T* const row = to.data + (first + q) * to.stride + v;
        if constexpr (To == Destination::memory) {
          stream(a[q], row);
        } else {
          store(a[q], row);
        }
      }
    }
  }
}

/// Calls run with the radix as a constant.
template <class Run>
void with_radix(int radix, Run const& run) {
  switch (radix) {
    case 2:
      return run(std::integral_constant<int, 2>());
    case 3:
      return run(std::integral_constant<int, 3>());
    case 4:
      return run(std::integral_constant<int, 4>());
    case 5:
      return run(std::integral_constant<int, 5>());
    case 9:
      return run(std::integral_constant<int, 9>());
    default:
      return run(std::integral_constant<int, 8>());
  }
}

template <Direction D, class T>
void run_pass(typename LaneFft<T>::Pass const& step, T const* twiddles, T* tile, std::int64_t count) {
  with_radix(step.radix, [&](auto radix) { pass<radix(), D>(step, twiddles, tile, count); });
}

template <Direction D, Destination To, class T>
void run_last(int radix, Rows<T const> from, Rows<T> to) {
  with_radix(radix, [&](auto r) { last_pass<r(), D, To>(from, to); });
}

template <class T>
void run_middle(int radix, T const* spectrum, T* tile, std::int64_t count) {
  with_radix(radix, [&](auto r) { last_pass_times_spectrum<r()>(spectrum, tile, count); });
}

/// The first pass, radix 4, when the second half of the input is zero: two inputs, four outputs. Input n from lane v on
/// is element(n, v), n < count.
template <class T, class Element>
HWY_INLINE void first_pass_of_half(LaneFft<T> const& fft, std::int64_t count, Element const& element,
                                   T* tile) {
  constexpr Direction kForward = Direction::forward;
  std::int64_t const part = fft.size / 4;
  Complex<T> const zero{hn::Zero(Tag<T>()), hn::Zero(Tag<T>())};
  for (std::int64_t n = 0; n < part; ++n) {
    T const* const w = fft.twiddles.data() + 6 * n;
    for (std::int64_t v = 0; v < kLanes<T>; v += kVector<T>) {
      Complex<T> const a = n < count ? element(n, v) : zero;
      Complex<T> const b = n + part < count ? element(n + part, v) : zero;
      T* const rows = tile + n * kRow<T> + v;
      store(a + b, rows);
      store(rotate<kForward>(along<kForward>(a, b), w), rows + part * kRow<T>);
      store(rotate<kForward>(a - b, w + 2), rows + 2 * part * kRow<T>);
      store(rotate<kForward>(against<kForward>(a, b), w + 4), rows + 3 * part * kRow<T>);
    }
  }
}

template <class T>
void first_pass_of_half(LaneFft<T> const& fft, Rows<T const> in, T* tile) {
  first_pass_of_half(
      fft, in.count,
      [in](std::int64_t n, std::int64_t v) HWY_ATTR {
        fetch_row(in.data + (n + kRowsAhead) * in.stride);
        return load(in.data + n * in.stride + v);
      },
      tile);
}

/// The last inverse pass, radix 4, when only the first half of the output is wanted: element n from lane v on goes to
/// take(a, n, v), n < count.
template <class T, class Take>
HWY_INLINE void last_pass_to_half(LaneFft<T> const& fft, T const* tile, std::int64_t count,
                                  Take const& take) {
  constexpr Direction kInverse = Direction::inverse;
  std::int64_t const part = fft.size / 4;
  for (std::int64_t n = 0; n < part && n < count; ++n) {
    T const* const w = fft.twiddles.data() + 6 * n;
    for (std::int64_t v = 0; v < kLanes<T>; v += kVector<T>) {
      T const* const rows = tile + n * kRow<T> + v;
      Complex<T> const a0 = load(rows), a1 = rotate<kInverse>(load(rows + part * kRow<T>), w);
      Complex<T> const a2 = rotate<kInverse>(load(rows + 2 * part * kRow<T>), w + 2);
      Complex<T> const a3 = rotate<kInverse>(load(rows + 3 * part * kRow<T>), w + 4);
      take((a0 + a2) + (a1 + a3), n, v);
      if (n + part < count) take(along<kInverse>(a0 - a2, a1 - a3), n + part, v);
    }
  }
}

template <class T>
void last_pass_to_half(LaneFft<T> const& fft, T const* tile, Rows<T> out) {
  last_pass_to_half(fft, tile, out.count, [out](Complex<T> a, std::int64_t n, std::int64_t v) HWY_ATTR {
    store(a, out.data + n * out.stride + v);
  });
}

// After the first pass the quarters of the tile are independent: each goes through all other passes while in
// cache: L1 (32 KiB) up to length 1024. The last one takes it to rows that may be elsewhere, and the first one back.
template <Destination To, class T>
void forward_quarters(LaneFft<T> const& fft, T* tile, Rows<T> out) {
  std::int64_t const quarter = fft.size / 4;
  std::size_t const last = fft.passes.size() - 1;
  for (int q = 0; q < 4; ++q) {
    T* const rows = tile + q * quarter * kRow<T>;
    for (std::size_t p = 1; p < last; ++p)
      run_pass<Direction::forward>(fft.passes[p], fft.twiddles.data(), rows, quarter);
    run_last<Direction::forward, To, T>(fft.passes[last].radix, {rows, kRow<T>, quarter},
                                        {out.data + q * quarter * out.stride, out.stride, quarter});
  }
}

template <class T>
void forward_quarters(LaneFft<T> const& fft, T* tile, Rows<T> out, Destination to) {
  if (to == Destination::caches) return forward_quarters<Destination::caches>(fft, tile, out);
  forward_quarters<Destination::memory>(fft, tile, out);
  hwy::FlushStream();  // else other threads may see that this one is done before they see its rows
}

template <class T>
void inverse_quarters(LaneFft<T> const& fft, Rows<T const> in, T* tile) {
  std::int64_t const quarter = fft.size / 4;
  std::size_t const last = fft.passes.size() - 1;
  for (int q = 0; q < 4; ++q) {
    T* const rows = tile + q * quarter * kRow<T>;
    run_last<Direction::inverse, Destination::caches, T>(
        fft.passes[last].radix, {in.data + q * quarter * in.stride, in.stride, quarter},
        {rows, kRow<T>, quarter});
    for (std::size_t p = last - 1; p > 0; --p)
      run_pass<Direction::inverse>(fft.passes[p], fft.twiddles.data(), rows, quarter);
  }
}

template <class T>
void forward(LaneFft<T> const& fft, Rows<T const> in, T* tile) {
  if (in.count <= fft.size / 2) {
    first_pass_of_half(fft, in, tile);
  } else {
    for (std::int64_t n = 0; n < fft.size && in.data != tile; ++n) {
      std::copy_n(in.data + n * in.stride, kRow<T>, tile + n * kRow<T>);
    }
    run_pass<Direction::forward>(fft.passes[0], fft.twiddles.data(), tile, fft.size);
  }
  forward_quarters(fft, tile, {tile, kRow<T>, fft.size}, Destination::caches);
}

template <class T>
void inverse(LaneFft<T> const& fft, T* tile, Rows<T> out) {
  inverse_quarters(fft, {tile, kRow<T>, fft.size}, tile);
  last_pass_to_half(fft, tile, out);
}

template <class T>
void forward_of_coil(LaneFft<T> const& fft, Rows<T const> in, Map<T> map, T* tile, Rows<T> out,
                     Destination to) {
  if (map.data == nullptr) {
    first_pass_of_half(fft, in, tile);
    return forward_quarters(fft, tile, out, to);
  }
  first_pass_of_half(
      fft, in.count,
      [in, map](std::int64_t n, std::int64_t v) HWY_ATTR {
        Complex<T> const a = load(in.data + n * in.stride + v),
                         s = load_lanes(map.data + n * map.stride, map.lanes, v);
        return Complex<T>{hn::NegMulAdd(a.im, s.im, hn::Mul(a.re, s.re)),
                          hn::MulAdd(a.im, s.re, hn::Mul(a.re, s.im))};
      },
      tile);
  forward_quarters(fft, tile, out, to);
}

template <class T>
void add_inverse_of_coil(LaneFft<T> const& fft, Rows<T const> in, T* tile, Map<T> map, Rows<T> sum) {
  inverse_quarters(fft, in, tile);
  last_pass_to_half(fft, tile, sum.count, [sum, map](Complex<T> a, std::int64_t n, std::int64_t v) HWY_ATTR {
    T* const to = sum.data + n * sum.stride + v;
    if (map.data != nullptr) {
      Complex<T> const s = load_lanes(map.data + n * map.stride, map.lanes, v);
      a = {hn::MulAdd(a.im, s.im, hn::Mul(a.re, s.re)), hn::NegMulAdd(a.re, s.im, hn::Mul(a.im, s.re))};
    }
    store(load(to) + a, to);
  });
}

template <class T>
void convolve(LaneFft<T> const& fft, Rows<T const> in, T const* spectrum, T* tile, Rows<T> out) {
  T const* const twiddles = fft.twiddles.data();
  std::int64_t const quarter = fft.size / 4;
  std::size_t const last = fft.passes.size() - 1;
  first_pass_of_half(fft, in, tile);
  for (int q = 0; q < 4; ++q) {
    T* const rows = tile + q * quarter * kRow<T>;
    for (std::size_t p = 1; p < last; ++p)
      run_pass<Direction::forward>(fft.passes[p], twiddles, rows, quarter);
    run_middle(fft.passes[last].radix, spectrum + q * quarter * kLanes<T>, rows, quarter);
    for (std::size_t p = last - 1; p > 0; --p)
      run_pass<Direction::inverse>(fft.passes[p], twiddles, rows, quarter);
  }
  last_pass_to_half(fft, tile, out);
}

template <class T>
LaneKernels<T> table() {
  return {&forward<T>,  &inverse<T>,       &forward_of_coil<T>, &add_inverse_of_coil<T>,
          &convolve<T>, &tile_to_lines<T>, &lines_to_tile<T>,   &pack<T>,
          &unpack<T>};
}
LaneKernels<float> table_f32() {
  return table<float>();
}
LaneKernels<double> table_f64() {
  return table<double>();
}

}  // namespace findrho::lanes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace findrho::lanes {

HWY_EXPORT(table_f32);
HWY_EXPORT(table_f64);

template <>
LaneKernels<float> lane_kernels() {
  return HWY_DYNAMIC_DISPATCH(table_f32)();
}
template <>
LaneKernels<double> lane_kernels() {
  return HWY_DYNAMIC_DISPATCH(table_f64)();
}

}  // namespace findrho::lanes
#endif
