// SPDX-License-Identifier: BSD-3-Clause
// The index arithmetic of spreading on a GPU, checked cell by cell on the CPU.
#include "nufft/cuda/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace findrho::nufft {
namespace {

/// Every grid that is even, as all grids are: smaller than the kernel, than a tile, with a short last tile, and larger.
constexpr long long kGrids[] = {2, 4, 6, 8, 10, 12, 16, 18, 20, 24, 30, 32, 40, 48, 54, 60, 64, 80};

template <class F>
void each_axis(F const& f) {
  for (int dims : {2, 3}) {
    for (int width : {2, 3, 4, 5, 6, 9, 15, 16}) {
      for (long long const n : kGrids) {
        long long const grid[3] = {n, n, dims == 3 ? n : 1};
        TileGrid const g = tile_grid(dims, width, grid);
        for (int axis = 0; axis < dims; ++axis) f(g, axis);
      }
    }
  }
}

/// Cells of tile t that the patch starting at `start` covers, and how often, straight from the definition.
std::vector<int> covered(TileGrid const& g, int axis, int t, int start) {
  std::vector<int> times(static_cast<std::size_t>(g.cells(axis, t)), 0);
  for (int j = 0; j < g.width_of(axis); ++j) {
    int const i = (start + j) % g.grid[axis] - g.first_cell(axis, t);
    if (i >= 0 && i < g.cells(axis, t)) ++times[static_cast<std::size_t>(i)];
  }
  return times;
}

TEST(Tiles, GiveEveryCellOfAPatchToTheTileThatHoldsIt) {
  each_axis([](TileGrid const& g, int axis) {
    for (int t = 0; t < g.tiles[axis]; ++t) {
      for (int start = 0; start < g.grid[axis]; ++start) {
        std::vector<int> const want = covered(g, axis, t, start);
        std::vector<int> got(want.size(), 0);
        int const offset = offset_in_tile(g, axis, t, start);
        for (int j = 0; j < g.width_of(axis); ++j) {
          int const i = cell_in_tile(g, axis, offset, j);
          ASSERT_LT(i, g.tile[axis]);
          if (i >= 0 && i < g.cells(axis, t)) ++got[static_cast<std::size_t>(i)];
        }
        bool const any = std::any_of(want.begin(), want.end(), [](int n) { return n > 0; });
        ASSERT_TRUE(reaches(g, axis, offset) || !any) << "grid " << g.grid[axis] << " start " << start;
        if (reaches(g, axis, offset)) {
          ASSERT_EQ(got, want) << "grid " << g.grid[axis] << ", width " << g.width << ", tile " << t
                               << ", start " << start;
        }
      }
    }
  });
}

TEST(Tiles, VisitEveryBinThatReachesATileOnce) {
  each_axis([](TileGrid const& g, int axis) {
    for (int t = 0; t < g.tiles[axis]; ++t) {
      std::vector<int> visits(static_cast<std::size_t>(g.tiles[axis]), 0);
      BinRun const run = bins_reaching(g, axis, t);
      for (int i = 0; i < run.count; ++i) ++visits[static_cast<std::size_t>((run.first + i) % g.tiles[axis])];
      for (int start = 0; start < g.grid[axis]; ++start) {
        std::vector<int> const cells = covered(g, axis, t, start);
        bool const any = std::any_of(cells.begin(), cells.end(), [](int n) { return n > 0; });
        int const bin = start / g.tile[axis];
        ASSERT_EQ(any && visits[static_cast<std::size_t>(bin)] == 0, false)
            << "grid " << g.grid[axis] << ", width " << g.width << ", tile " << t << ", start " << start;
      }
      for (int const n : visits) ASSERT_LE(n, 1);
    }
  });
}

TEST(Tiles, ListTheBinsOfATileInRangesThatDoNotOverlap) {
  for (int dims : {2, 3}) {
    for (int width : {2, 6, 16}) {
      for (long long const n : {4LL, 10LL, 16LL, 30LL, 40LL, 80LL}) {
        long long const grid[3] = {n, n + 8, dims == 3 ? n : 1};
        TileGrid const g = tile_grid(dims, width, grid);
        for (int tile = 0; tile < g.count(); ++tile) {
          TileRanges const ranges(g, tile);
          ASSERT_LE(ranges.count(), kMaxRanges);
          std::vector<int> got;
          for (int i = 0; i < ranges.count(); ++i) {
            BinRange const r = ranges(g, i);
            for (int b = r.first; b < r.last; ++b) got.push_back(b);
          }
          std::vector<int> want;
          int const at[3] = {tile % g.tiles[0], tile / g.tiles[0] % g.tiles[1],
                             tile / (g.tiles[0] * g.tiles[1])};
          BinRun run[3];
          for (int d = 0; d < 3; ++d) run[d] = bins_reaching(g, d, at[d]);
          for (int z = 0; z < run[2].count; ++z) {
            for (int y = 0; y < run[1].count; ++y) {
              for (int x = 0; x < run[0].count; ++x) {
                want.push_back(g.index((run[0].first + x) % g.tiles[0], (run[1].first + y) % g.tiles[1],
                                       (run[2].first + z) % g.tiles[2]));
              }
            }
          }
          std::sort(got.begin(), got.end());
          std::sort(want.begin(), want.end());
          ASSERT_EQ(got, want) << "grid " << n << ", width " << width << ", tile " << tile;
        }
      }
    }
  }
}

}  // namespace
}  // namespace findrho::nufft
