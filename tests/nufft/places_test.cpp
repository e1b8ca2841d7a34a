// SPDX-License-Identifier: BSD-3-Clause
// Places found in vectors, by every instruction set that this machine has, are those of place.hpp.
#include "nufft/places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "nufft/place.hpp"
#include "nufft/samples.hpp"
#include "support/use_target.hpp"

namespace findrho::nufft {
namespace {

struct Grid {
  Matrix matrix;
  std::int64_t cells[3], low, tile[3], tiles[3];
  int width;
};

std::array<PlaceAxis, 3> axes_of(Grid const& g, Trajectory const& t) {
  std::array<PlaceAxis, 3> axes;
  double step = 1, tile_step = 1;
  for (int i = 0; i < t.dims; ++i) {
    std::size_t const d = static_cast<std::size_t>(i);
    double const cells = static_cast<double>(g.cells[d]), voxels = static_cast<double>(g.matrix[i]);
    axes[d] = {.k = t[i].data(),
               .cells = cells / voxels,
               .periods = 1 / voxels,
               .grid = cells,
               .half = g.width / 2.0,
               .low = static_cast<double>(g.low),
               .step = step,
               .per_tile = 1 / static_cast<double>(g.tile[d]),
               .tile_step = tile_step};
    step *= cells + 2 * static_cast<double>(g.low);
    tile_step *= static_cast<double>(g.tiles[d]);
  }
  return axes;
}

template <class T>
void expect_places(Grid const& g, Trajectory const& t, std::int64_t first, int count, Places<T> const& places,
                   char const* target) {
  for (int i = 0; i < count; ++i) {
    std::int64_t cell = 0, tile = 0, step = 1, tile_step = 1;
    for (int axis = 0; axis < t.dims; ++axis) {
      std::size_t const d = static_cast<std::size_t>(axis);
      Place const p =
          place(t[axis][static_cast<std::size_t>(first + i)], g.cells[d], g.matrix[axis], g.width);
      EXPECT_EQ(places.fraction[d][i], static_cast<T>(p.fraction)) << target << ", sample " << first + i;
      cell += (p.cell + g.low) * step;
      tile += (p.cell + g.low) / g.tile[d] * tile_step;
      step *= g.cells[d] + 2 * g.low;
      tile_step *= g.tiles[d];
    }
    EXPECT_EQ(places.cell[i], cell) << target << ", sample " << first + i;
    EXPECT_EQ(places.tile[i], tile) << target << ", sample " << first + i;
  }
}

/// Every number of samples up to two whole vectors of the longest kind and one more, from aligned and odd addresses.
template <class T>
void compare_targets(Grid const& g) {
  Trajectory t = test::every_kind_of_point(g.matrix, 600, 4);
  t.kx[3] = 1e30;  // a place that rounding has taken all meaning from
  t.ky[5] = -1e-30;
  int const tested = test::under_each_target([&](char const* target) {
    std::array<PlaceAxis, 3> const axes = axes_of(g, t);
    auto const places = std::make_unique<Places<T>>();
    for (int count = 1; count <= 17; ++count) {
      for (std::int64_t first : {0, 1, 6}) {
        find_places(axes, t.dims, first, count, *places);
        expect_places(g, t, first, count, *places, target);
      }
    }
    EXPECT_TRUE(find_places(axes, t.dims, 88, kPlaces, *places)) << target;
    expect_places(g, t, 88, kPlaces, *places, target);
  });
  EXPECT_GE(tested, 1);
}

// Grids of 1.25 times an odd matrix, of tiles that do not divide them; the last has cells beyond 2^31.
Grid const kFlat{{21, 15, 1}, {30, 20, 1}, 3, {8, 6, 1}, {5, 5, 1}, 5};
Grid const kDeep{{9, 8, 7}, {16, 10, 9}, 4, {8, 6, 7}, {3, 3, 3}, 6};
Grid const kHuge{{1100, 1000, 900}, {1500, 1400, 1250}, 3, {32, 8, 8}, {48, 176, 157}, 4};

TEST(Places, AreTheSameForEachInstructionSetInSinglePrecision) {
  for (Grid const& g : {kFlat, kDeep, kHuge}) compare_targets<float>(g);
}
TEST(Places, AreTheSameForEachInstructionSetInDoublePrecision) {
  for (Grid const& g : {kFlat, kDeep, kHuge}) compare_targets<double>(g);
}

TEST(Places, TellASampleThatIsNotFinite) {
  Trajectory t = test::every_kind_of_point(kFlat.matrix, 20, 4);
  Places<float> places;
  for (double const bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (std::size_t at : {0u, 7u, 18u}) {
      double const before = std::exchange(t.ky[at], bad);
      test::under_each_target([&](char const* target) {
        EXPECT_FALSE(find_places(axes_of(kFlat, t), 2, 0, 19, places)) << target << ", sample " << at;
        // Samples around it do not matter to it.
        EXPECT_EQ(find_places(axes_of(kFlat, t), 2, 8, 8, places), true) << target;
      });
      t.ky[at] = before;
    }
  }
}

}  // namespace
}  // namespace findrho::nufft
