// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms of kLanes lines at once for the Toeplitz product, in place and without sorting the
// frequencies (private header). The product multiplies by a spectrum in the same order, so no pass ever has
// to sort, half of the memory of a sorting transform is enough, and the last pass, the multiplication and the
// first inverse pass are one.
#pragma once
#include <hwy/cache_control.h>

#include <cstdint>
#include <vector>

#include "findrho/core/array.hpp"

namespace findrho::lanes {

/// Lines per batch: 64 bytes of T, the widest vector register. Narrower targets loop over the batch.
template <class T>
inline constexpr std::int64_t kLanes = static_cast<std::int64_t>(64 / sizeof(T));

/// A row holds one element of each line: kLanes real parts, then kLanes imaginary parts, 64-byte aligned.
template <class T>
inline constexpr std::int64_t kRow = 2 * kLanes<T>;

/// Rows are read and written far apart, where the processor does not foresee them: they are fetched so many ahead, which
/// matters once an image and its lines do not fit the second-level cache.
inline constexpr std::int64_t kRowsAhead = 8;
template <class T>
void fetch_row(T const* row) {
  hwy::Prefetch(row);
  hwy::Prefetch(row + kLanes<T>);
}

/// Row i is at data + i * stride.
template <class T>
struct Rows {
  T* data = nullptr;
  std::int64_t stride = kRow<T>;
  std::int64_t count = 0;
};

/// To memory, past the caches, goes what is read again only after more has been written than they hold.
enum class Destination { caches, memory };

/// A coil's map beside rows: row n starts at data + n * stride, `lanes` interleaved complex numbers. data null: 1
/// everywhere.
template <class T>
struct Map {
  T const* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t lanes = 0;
};

/// The least 4 * 2^a 3^b 5^c >= 8 that is not below n.
std::int64_t lane_fft_size(std::int64_t n);

/// The passes of one length: radix 4 first, so that a zero half is skipped; then 5, 9 and 3; then 4; 8 or 2 at the
/// end. Large radices: a pass fewer reads and writes the tile once less.
template <class T>
struct LaneFft {
  /// size: from lane_fft_size
  explicit LaneFft(std::int64_t size);
  struct Pass {
    int radix;
    std::int64_t block;  // length that this pass divides by its radix
    std::int64_t
        twiddle;  // offset of its re, im of exp(-i 2 pi n q / block), n < block / radix, 0 < q < radix
  };
  std::int64_t size;
  std::vector<Pass> passes;
  std::vector<T> twiddles;
};

/// The kernels compiled for one instruction set.
template <class T>
struct LaneKernels {
  /// tile[f] = sum_n in[n] exp(-i 2 pi f n / size), frequencies in the order of the passes; in may be the
  /// tile. in.count <= size / 2, the rows beyond are zero; or in.count == size.
  void (*forward)(LaneFft<T> const& fft, Rows<T const> in, T* tile);
  /// out[n] = sum_f tile[f] exp(+i 2 pi f n / size) for n < out.count <= size / 2. Destroys the tile.
  void (*inverse)(LaneFft<T> const& fft, T* tile, Rows<T> out);
  /// out = forward(in * map), in.count <= size / 2; size rows of out, which may be the tile; in is not the tile.
  void (*forward_of_coil)(LaneFft<T> const& fft, Rows<T const> in, Map<T> map, T* tile, Rows<T> out,
                          Destination to);
  /// sum += conj(map) * inverse(in), size rows of in, which may be the tile. Destroys the tile.
  void (*add_inverse_of_coil)(LaneFft<T> const& fft, Rows<T const> in, T* tile, Map<T> map, Rows<T> sum);
  /// out = inverse(spectrum * forward(in)) with kLanes reals of the spectrum per frequency; out may be in.
  void (*convolve)(LaneFft<T> const& fft, Rows<T const> in, T const* spectrum, T* tile, Rows<T> out);

  /// Rows and lanes exchanged: row n of the tile, n < count, becomes lane n % kLanes of row n / kLanes of
  /// each of kLanes lines at lines + l * line_stride; and back. count is a multiple of 4.
  void (*tile_to_lines)(T const* tile, std::int64_t count, T* lines, std::int64_t line_stride);
  void (*lines_to_tile)(T const* lines, std::int64_t line_stride, T* tile, std::int64_t count);

  /// row = image[0..count-1], zeros after; the image is interleaved complex numbers.
  void (*pack)(T const* image, std::int64_t count, T* row);
  /// image[0..count-1] = row, or += row
  void (*unpack)(T const* row, std::int64_t count, Write write, T* image);
};

/// Those of the best that this processor has.
template <class T>
LaneKernels<T> lane_kernels();

}  // namespace findrho::lanes
