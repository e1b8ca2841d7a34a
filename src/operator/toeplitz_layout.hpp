// SPDX-License-Identifier: BSD-3-Clause
// How the Toeplitz product lays out its arrays (private header). L = kLanes lines share a row of vector
// lanes.
//   columns   (kz, x tile, y) rows of L neighbours along x: the z axis transformed, x and y still in voxels
//   lines     (x, ky tile) rows of L neighbours along ky, for one kz: what the x axis is convolved in
//   spectrum  (kz, ky tile, kx) of L reals along ky, each frequency axis in the order of the passes of
//   LaneFft
#pragma once
#include <algorithm>
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "operator/lane_fft.hpp"

namespace findrho {

template <class T>
struct ToeplitzLayout {
  static constexpr std::int64_t L = lanes::kLanes<T>, kRow = lanes::kRow<T>;
  Matrix grid;
  std::int64_t x_tiles, ky_tiles;
  std::int64_t
      line_stride;  // from x to x + 1; an odd number of rows, lest all x fall into the same cache sets

  /// width: length of the x axis before its transform
  ToeplitzLayout(Matrix const& matrix, std::int64_t width)
      : grid{lanes::lane_fft_size(2 * matrix.x), lanes::lane_fft_size(2 * matrix.y),
             matrix.z > 1 ? lanes::lane_fft_size(2 * matrix.z) : 1},
        x_tiles((width + L - 1) / L),
        ky_tiles((grid.y + L - 1) / L),
        line_stride((ky_tiles | 1) * kRow) {}

  std::int64_t lines_size() const { return x_tiles * L * line_stride; }
  /// From kz to kz + 1 in the columns, height rows along y; one row more than there are, again for the cache
  /// sets.
  std::int64_t plane_stride(std::int64_t height) const { return (x_tiles * height + 1) * kRow; }
  std::int64_t spectrum_plane() const { return ky_tiles * grid.x * L; }
  std::int64_t tile_size() const { return std::max({grid.x, grid.y, grid.z}) * kRow; }
  /// Voxels of tile t of a line of n.
  static std::int64_t lanes_of(std::int64_t t, std::int64_t n) { return std::min(L, n - t * L); }
};

}  // namespace findrho
