// SPDX-License-Identifier: BSD-3-Clause
// The grid cut into tiles, samples binned by the tile of their patch's first cell, and which bins reach a tile.
// Everything is periodic and holds for any grid, also one smaller than the kernel is wide.
#pragma once
#include <cstdint>

#include "findrho/backend/team.hpp"

namespace findrho::nufft {

struct TileGrid {
  int dims, width;
  int grid[3], tile[3], tiles[3];

  FINDRHO_HD int width_of(int axis) const { return axis < dims ? width : 1; }
  FINDRHO_HD int count() const { return tiles[0] * tiles[1] * tiles[2]; }
  FINDRHO_HD int index(int x, int y, int z) const { return (z * tiles[1] + y) * tiles[0] + x; }
  FINDRHO_HD int first_cell(int axis, int t) const { return t * tile[axis]; }
  /// Cells of a tile; the last one of an axis may have fewer.
  FINDRHO_HD int cells(int axis, int t) const {
    int const left = grid[axis] - t * tile[axis];
    return left < tile[axis] ? left : tile[axis];
  }
  /// A patch can then meet a tile of this axis twice, from both of its sides.
  FINDRHO_HD bool wraps_round(int axis) const { return grid[axis] < tile[axis] + width_of(axis) - 1; }
};

/// Tiles of 512 cells: 8 x 8 x 8 or 32 x 16.
inline constexpr int kTileCells = 512;

inline TileGrid tile_grid(int dims, int width, long long const (&grid)[3]) {
  TileGrid g{.dims = dims,
             .width = width,
             .grid = {},
             .tile = {dims == 3 ? 8 : 32, dims == 3 ? 8 : 16, dims == 3 ? 8 : 1},
             .tiles = {}};
  for (int d = 0; d < 3; ++d) {
    g.grid[d] = static_cast<int>(grid[d]);
    g.tiles[d] = (g.grid[d] + g.tile[d] - 1) / g.tile[d];
  }
  return g;
}

/// Bins first, first + 1, ... of one axis, counted round from the last to 0.
struct BinRun {
  int first, count;
};

/// Bins whose samples may reach a tile: their patches start in the W - 1 cells before it or in it.
FINDRHO_HD inline BinRun bins_reaching(TileGrid const& g, int axis, int t) {
  int const reach = g.width_of(axis) - 1;
  if (g.grid[axis] <= g.cells(axis, t) + reach) return {0, g.tiles[axis]};
  int start = g.first_cell(axis, t) - reach;
  if (start < 0) start += g.grid[axis];
  int const first = start / g.tile[axis];
  return {first, (t - first + g.tiles[axis]) % g.tiles[axis] + 1};
}

/// Bins that follow each other in memory: from `first` to before `last`, possibly none.
struct BinRange {
  int first, last;
};

/// The bins that reach a tile, as ranges. A run along x that goes round the end of the grid is two of them.
struct TileRanges {
  BinRun run[3];
  FINDRHO_HD TileRanges(TileGrid const& g, int tile) {
    int const x = tile % g.tiles[0], y = tile / g.tiles[0] % g.tiles[1], z = tile / (g.tiles[0] * g.tiles[1]);
    run[0] = bins_reaching(g, 0, x);
    run[1] = bins_reaching(g, 1, y);
    run[2] = bins_reaching(g, 2, z);
  }
  FINDRHO_HD int count() const { return 2 * run[1].count * run[2].count; }
  FINDRHO_HD BinRange operator()(TileGrid const& g, int i) const {
    int const y = (run[1].first + i / 2 % run[1].count) % g.tiles[1];
    int const z = (run[2].first + i / 2 / run[1].count) % g.tiles[2];
    int const row = g.index(0, y, z), end = run[0].first + run[0].count;
    int const over = end > g.tiles[0] ? end - g.tiles[0] : 0;
    return i % 2 == 0 ? BinRange{row + run[0].first, row + end - over} : BinRange{row, row + over};
  }
};

/// 2 x 5 x 5: at most 16 + 8 - 1 cells of starts in tiles of 8, the last of which may be short.
inline constexpr int kMaxRanges = 64;

/// Where a patch that starts at cell `start` lies from a tile's first cell: from -(W - 1) on when it reaches the tile.
FINDRHO_HD inline int offset_in_tile(TileGrid const& g, int axis, int t, int start) {
  int const offset = start - g.first_cell(axis, t);
  return offset >= g.cells(axis, t) ? offset - g.grid[axis] : offset;
}

/// Whether it reaches the tile; a patch that goes round the grid is taken to.
FINDRHO_HD inline bool reaches(TileGrid const& g, int axis, int offset) {
  return offset > -g.width_of(axis) || g.wraps_round(axis);
}

/// The cell of the tile, from 0 on, that cell j of a patch falls on; -1: outside. What lies beyond the grid's end in a
/// short tile counts as inside: nobody reads it.
FINDRHO_HD inline int cell_in_tile(TileGrid const& g, int axis, int offset, int j) {
  int i = offset + j;
  if (g.wraps_round(axis)) {
    if (i < 0) i += g.grid[axis];
    while (i >= g.grid[axis]) i -= g.grid[axis];
  }
  return i >= 0 && i < g.tile[axis] ? i : -1;
}

}  // namespace findrho::nufft
