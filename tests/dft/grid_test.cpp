// SPDX-License-Identifier: BSD-3-Clause
// Grids are found where there are some, and nowhere else; their points split into pairs around the centre.
#include "dft/grid.hpp"

#include <gtest/gtest.h>

#include <set>

#include "dft/separable_plan.hpp"
#include "dft/small_sums.hpp"

namespace findrho {
namespace {

using namespace ladder;

std::optional<Grid> grid_in(ExactSum<float> const& sum) {
  return find_grid<float>(sum.x, sum.y, sum.z);
}

TEST(FindGrid, FindsImageAndLags) {
  Matrix const matrix{.x = 5, .y = 6, .z = 7};
  auto const image = grid_in(test::small_sum<float>(SumKind::fhd, matrix, 3));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->x.size, 5);
  EXPECT_EQ(image->y.size, 6);
  EXPECT_EQ(image->z.size, 7);
  EXPECT_DOUBLE_EQ(image->x.origin, -0.4);
  EXPECT_DOUBLE_EQ(image->y.step, 1.0 / 6);
  auto const lags = grid_in(test::small_sum<float>(SumKind::q, matrix, 3));
  ASSERT_TRUE(lags);
  EXPECT_EQ(lags->y.size, 11);
  EXPECT_DOUBLE_EQ(lags->z.origin, 0);
}

TEST(FindGrid, FindsPlanesLinesAndPoints) {
  for (Matrix const& matrix : {Matrix{.x = 9, .y = 4, .z = 1}, Matrix{.x = 2, .y = 2, .z = 1}}) {
    auto const grid = grid_in(test::small_sum<float>(SumKind::fhd, matrix, 3));
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->points(), matrix.voxels());
    EXPECT_EQ(grid->z.size, 1);
  }
  std::vector<float> const one{0.25f};
  ASSERT_TRUE(find_grid<float>(one, one, one));
}

TEST(FindGrid, OnePositionOffTheGridIsNoGrid) {
  auto sum = test::small_sum<float>(SumKind::fhd, test::kOddBox, 3);
  for (std::vector<float>* axis : {&sum.x, &sum.y, &sum.z}) {
    float const before = axis->at(97);
    axis->at(97) += 1e-3f;
    EXPECT_FALSE(grid_in(sum));
    axis->at(97) = before;
  }
  EXPECT_TRUE(grid_in(sum));
  sum.x.pop_back(), sum.y.pop_back(), sum.z.pop_back();
  EXPECT_FALSE(grid_in(sum));
}

TEST(SeparablePlan, EveryPointBelongsToOneSlot) {
  for (Matrix const& matrix : {Matrix{.x = 5, .y = 6, .z = 7}, Matrix{.x = 4, .y = 3, .z = 2},
                               Matrix{.x = 19, .y = 6, .z = 1}, Matrix{.x = 16, .y = 5, .z = 1}}) {
    auto const grid = grid_in(test::small_sum<float>(SumKind::fhd, matrix, 3));
    ASSERT_TRUE(grid);
    SeparablePlan const plan = plan_for(*grid);
    std::multiset<std::int64_t> seen;
    for (std::int64_t a = 0; a < plan.a.axis.slots(); ++a) {
      for (std::int64_t b = 0; b < plan.b.axis.slots(); ++b) {
        for (std::int64_t c = 0; c < plan.c.axis.slots(); ++c) {
          for (std::int64_t n : points_of(plan, a, b, c)) {
            if (n >= 0) seen.insert(n);
          }
        }
      }
    }
    ASSERT_EQ(static_cast<std::int64_t>(seen.size()), matrix.voxels());
    std::int64_t expected = 0;
    for (std::int64_t n : seen) EXPECT_EQ(n, expected++);
  }
}

}  // namespace
}  // namespace findrho
