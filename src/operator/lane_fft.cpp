// SPDX-License-Identifier: BSD-3-Clause
// Decimation in frequency forward, in time backward, in Highway: compiled once per instruction set, the best
// is called.
#include "operator/lane_fft.hpp"

#include <algorithm>

#include "backend/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operator/lane_fft.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "operator/lane_butterflies-inl.hpp"

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
/// last pass of a transform has no twiddle factors. spectrum null: forward only, or inverse only.
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

template <Direction D, class T>
void run_pass(typename LaneFft<T>::Pass const& step, T const* twiddles, T* tile, std::int64_t count) {
  switch (step.radix) {
    case 2:
      return pass<2, D>(step, twiddles, tile, count);
    case 3:
      return pass<3, D>(step, twiddles, tile, count);
    case 4:
      return pass<4, D>(step, twiddles, tile, count);
    case 5:
      return pass<5, D>(step, twiddles, tile, count);
    default:
      return pass<8, D>(step, twiddles, tile, count);
  }
}

template <class T>
void run_middle(int radix, T const* spectrum, T* tile, std::int64_t count) {
  switch (radix) {
    case 2:
      return last_pass_times_spectrum<2>(spectrum, tile, count);
    case 3:
      return last_pass_times_spectrum<3>(spectrum, tile, count);
    case 4:
      return last_pass_times_spectrum<4>(spectrum, tile, count);
    case 5:
      return last_pass_times_spectrum<5>(spectrum, tile, count);
    default:
      return last_pass_times_spectrum<8>(spectrum, tile, count);
  }
}

template <class T>
HWY_INLINE Complex<T> load_interleaved(T const* at) {
  Complex<T> a;
  hn::LoadInterleaved2(Tag<T>(), at, a.re, a.im);
  return a;
}

/// Interleaved numbers from v on of the count at `at`, zeros beyond.
template <class T>
HWY_INLINE Complex<T> load_lanes(T const* at, std::int64_t count, std::int64_t v) {
  if (v + kVector<T> <= count) return load_interleaved(at + 2 * v);
  HWY_ALIGN T padded[kRow<T>] = {};
  if (v < count) std::copy(at + 2 * v, at + 2 * count, padded);
  return load_interleaved(static_cast<T const*>(padded));
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
// cache: L1 (32 KiB) up to length 1024.
template <class T>
void forward_quarters(LaneFft<T> const& fft, T* tile) {
  std::int64_t const quarter = fft.size / 4;
  for (int q = 0; q < 4; ++q) {
    for (std::size_t p = 1; p < fft.passes.size(); ++p) {
      run_pass<Direction::forward>(fft.passes[p], fft.twiddles.data(), tile + q * quarter * kRow<T>, quarter);
    }
  }
}

template <class T>
void inverse_quarters(LaneFft<T> const& fft, T* tile) {
  std::int64_t const quarter = fft.size / 4;
  for (int q = 0; q < 4; ++q) {
    for (std::size_t p = fft.passes.size() - 1; p > 0; --p) {
      run_pass<Direction::inverse>(fft.passes[p], fft.twiddles.data(), tile + q * quarter * kRow<T>, quarter);
    }
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
  forward_quarters(fft, tile);
}

template <class T>
void inverse(LaneFft<T> const& fft, T* tile, Rows<T> out) {
  inverse_quarters(fft, tile);
  last_pass_to_half(fft, tile, out);
}

template <class T>
void forward_of_coil(LaneFft<T> const& fft, Rows<T const> in, Map<T> map, T* tile) {
  if (map.data == nullptr) return forward(fft, in, tile);
  first_pass_of_half(
      fft, in.count,
      [in, map](std::int64_t n, std::int64_t v) HWY_ATTR {
        Complex<T> const a = load(in.data + n * in.stride + v),
                         s = load_lanes(map.data + n * map.stride, map.lanes, v);
        return Complex<T>{hn::NegMulAdd(a.im, s.im, hn::Mul(a.re, s.re)),
                          hn::MulAdd(a.im, s.re, hn::Mul(a.re, s.im))};
      },
      tile);
  forward_quarters(fft, tile);
}

template <class T>
void add_inverse_of_coil(LaneFft<T> const& fft, T* tile, Map<T> map, Rows<T> sum) {
  inverse_quarters(fft, tile);
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

// kSide x kSide elements at from + i * from_stride, transposed, through the 128-bit vectors that most targets
// have.
#if HWY_TARGET == HWY_SCALAR
template <class T>
inline constexpr std::int64_t kSide = 1;
template <class T>
HWY_INLINE void transpose_block(T const* from, std::int64_t, T* to, std::int64_t) {
  *to = *from;
}
#else
template <class T>
inline constexpr std::int64_t kSide = static_cast<std::int64_t>(16 / sizeof(T));
HWY_INLINE void transpose_block(float const* from, std::int64_t from_stride, float* to,
                                std::int64_t to_stride) {
  hn::Full128<float> const f;
  hn::Full128<double> const d;
  auto const a = hn::LoadU(f, from), b = hn::LoadU(f, from + from_stride);
  auto const c = hn::LoadU(f, from + 2 * from_stride), e = hn::LoadU(f, from + 3 * from_stride);
  auto const ab_low = hn::BitCast(d, hn::InterleaveLower(f, a, b)),
             ab_high = hn::BitCast(d, hn::InterleaveUpper(f, a, b));
  auto const ce_low = hn::BitCast(d, hn::InterleaveLower(f, c, e)),
             ce_high = hn::BitCast(d, hn::InterleaveUpper(f, c, e));
  hn::StoreU(hn::BitCast(f, hn::InterleaveLower(d, ab_low, ce_low)), f, to);
  hn::StoreU(hn::BitCast(f, hn::InterleaveUpper(d, ab_low, ce_low)), f, to + to_stride);
  hn::StoreU(hn::BitCast(f, hn::InterleaveLower(d, ab_high, ce_high)), f, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(f, hn::InterleaveUpper(d, ab_high, ce_high)), f, to + 3 * to_stride);
}
HWY_INLINE void transpose_block(double const* from, std::int64_t from_stride, double* to,
                                std::int64_t to_stride) {
  hn::Full128<double> const d;
  auto const a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_stride);
  hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_stride);
}
#endif

// f(tile element, element of the lines) for the corner of each block of row n, lane l.
template <class T, class TileT, class LineT, class F>
HWY_INLINE void for_transposed_blocks(TileT* tile, std::int64_t count, LineT* lines, std::int64_t line_stride,
                                      F const& f) {
  constexpr std::int64_t L = kLanes<T>;
  for (std::int64_t n = 0; n < count; n += kSide<T>) {
    // A few of each line's rows after next.
    for (std::int64_t l = n % L; l < n % L + kSide<T>; ++l)
      fetch_row(lines + l * line_stride + (n / L + 2) * kRow<T>);
    for (std::int64_t l = 0; l < L; l += kSide<T>) {
      for (std::int64_t part = 0; part < kRow<T>; part += L) {
        f(tile + n * kRow<T> + part + l, lines + l * line_stride + n / L * kRow<T> + part + n % L);
      }
    }
  }
}

template <class T>
void tile_to_lines(T const* tile, std::int64_t count, T* lines, std::int64_t line_stride) {
  for_transposed_blocks<T>(tile, count, lines, line_stride,
                           [line_stride](T const* in_tile, T* in_lines)
                               HWY_ATTR { transpose_block(in_tile, kRow<T>, in_lines, line_stride); });
}

template <class T>
void lines_to_tile(T const* lines, std::int64_t line_stride, T* tile, std::int64_t count) {
  for_transposed_blocks<T>(tile, count, lines, line_stride,
                           [line_stride](T* in_tile, T const* in_lines)
                               HWY_ATTR { transpose_block(in_lines, line_stride, in_tile, kRow<T>); });
}

template <class T>
void pack(T const* image, std::int64_t count, T* row) {
  for (std::int64_t v = 0; v < kLanes<T>; v += kVector<T>) store(load_lanes(image, count, v), row + v);
}

template <class T>
void unpack(T const* row, std::int64_t count, Write write, T* image) {
  bool const add = write == Write::add;
  Tag<T> const d;
  for (std::int64_t v = 0; v < count; v += kVector<T>) {
    Complex<T> a = load(row + v);
    if (v + kVector<T> <= count) {
      if (add) a = a + load_interleaved(image + 2 * v);
      hn::StoreInterleaved2(a.re, a.im, d, image + 2 * v);
      continue;
    }
    for (std::int64_t l = v; l < count; ++l) {
      image[2 * l] = (add ? image[2 * l] : T(0)) + row[l];
      image[2 * l + 1] = (add ? image[2 * l + 1] : T(0)) + row[l + kLanes<T>];
    }
  }
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
