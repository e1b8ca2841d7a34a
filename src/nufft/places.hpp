// SPDX-License-Identifier: BSD-3-Clause
// Places of many samples at once, in vectors: what place.hpp computes, the patch's first cell and its tile
// (private header).
#pragma once
#include <array>
#include <cstdint>

namespace findrho::nufft {

inline constexpr int kPlaces = 512;  // found together: they fit the first-level cache

/// One axis of a trajectory and of the grid that it falls on. Everything is a small whole number or a factor, kept as
/// double, which the vectors hold.
struct PlaceAxis {
  double const* k = nullptr;
  double cells = 1;     // per unit of k
  double periods = 1;   // per unit of k
  double grid = 1;      // cells of a period
  double half = 0;      // of the kernel's width
  double low = 0;       // cells of the margin
  double step = 0;      // from a cell to the next, in elements of the grid
  double per_tile = 1;  // one over the cells of a tile
  double tile_step = 0;
};

template <class T>
struct Places {
  alignas(64) std::uint32_t cell[kPlaces];
  alignas(64) std::uint32_t tile[kPlaces];
  alignas(64) T fraction[3][kPlaces];
};

/// Samples first to first + count <= first + kPlaces. False when one of them may not be finite: its place means nothing.
template <class T>
bool find_places(std::array<PlaceAxis, 3> const& axes, int dims, std::int64_t first, int count,
                 Places<T>& places);

}  // namespace findrho::nufft
