// SPDX-License-Identifier: BSD-3-Clause
// Between images, batches of lines along one axis, and lines along the next, for the instruction set being compiled:
// included once per target by lane_fft.cpp, hence the guard that Highway toggles.
#if defined(FINDRHO_LANE_MOVES) == defined(HWY_TARGET_TOGGLE)
#ifdef FINDRHO_LANE_MOVES
#undef FINDRHO_LANE_MOVES
#else
#define FINDRHO_LANE_MOVES
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "operator/lane_butterflies-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace findrho::lanes::HWY_NAMESPACE {

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

}  // namespace findrho::lanes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
