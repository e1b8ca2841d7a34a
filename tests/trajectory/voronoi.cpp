// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/voronoi.hpp"

#include <numbers>
#include <random>

#include "findrho/trajectory/cartesian.hpp"
#include "findrho/trajectory/propeller.hpp"
#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/rosette.hpp"
#include "findrho/trajectory/stack.hpp"
#include "support.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using test::refused;
using test::sum;

// Positions are rounded to 2^-16 cycles per FOV, by 2^-17 at most; a cell of size a then errs by 2 2^-17 / a on each side.
constexpr double kRounding = 4.0 / 131072;

TEST(Voronoi, CartesianCellsAreUnitSquares) {
  Matrix const matrix{12, 8, 1};
  Trajectory const t = make_cartesian(matrix);
  auto const w = voronoi_density(t, matrix);
  for (std::size_t m = 0; m < w.size(); ++m) {
    bool const corner = (t.kx[m] == -6 || t.kx[m] == 5) && (t.ky[m] == -4 || t.ky[m] == 3);
    // Half a cycle beyond the hull rounds its corners: a quarter disc of radius 1/2 instead of a square, seen in 64 directions.
    EXPECT_NEAR(w[m] * 96, corner ? 0.75 + pi / 16 : 1, kRounding + 1e-5);
  }
}

TEST(Voronoi, SamplesAtOnePlaceShareItsCell) {
  Matrix const matrix{8, 8, 1};
  Trajectory t = make_cartesian(matrix);
  auto const single = voronoi_density(t, matrix);
  for (int copies = 0; copies < 2; ++copies) {
    t.kx.push_back(t.kx[27]);
    t.ky.push_back(t.ky[27]);
  }
  auto const shared = voronoi_density(t, matrix);
  EXPECT_NEAR(shared[27], single[27] / 3, 1e-15);
  EXPECT_EQ(shared[64], shared[27]);
  EXPECT_EQ(shared[65], shared[27]);
  EXPECT_NEAR(sum(shared), sum(single), 1e-12);
}

TEST(Voronoi, CellsOfAnyPlacesFillTheOutline) {
  // Random places and a dense ring, whose hull and outline are discs.
  Trajectory t;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> place(-1, 1);
  while (t.kx.size() < 3000) {
    double const x = place(random), y = place(random);
    if (x * x + y * y > 1) continue;
    t.kx.push_back(20 * x);
    t.ky.push_back(20 * y);
  }
  for (int i = 0; i < 1000; ++i) {
    t.kx.push_back(20 * std::cos(2 * pi * i / 1000));
    t.ky.push_back(20 * std::sin(2 * pi * i / 1000));
  }
  // The outline is a polygon of 256 sides around the circle of radius 20.5: its area exceeds the disc's by (pi/256)^2/3.
  double const area = 256 * std::tan(pi / 256) * 20.5 * 20.5;
  EXPECT_NEAR(sum(voronoi_density(t, {40, 40, 1})) * 1600 / area, 1, 1e-5);
}

TEST(Voronoi, EveryFlatGeneratorGetsPositiveWeights) {
  Matrix const matrix{48, 48, 1};
  for (Trajectory const& t : {make_rosette(matrix), make_propeller(matrix), make_radial_2d(matrix)}) {
    auto const w = voronoi_density(t, matrix);
    EXPECT_GT(*std::min_element(w.begin(), w.end()), 0);
    // The disc of radius 24, widened by half a cycle; rosettes and blades leave notches at the rim, at most a cycle deep.
    EXPECT_LE(sum(w) * 48 * 48, pi * 24.5 * 24.5 * 1.0001);
    EXPECT_GE(sum(w) * 48 * 48, pi * 23 * 23);
  }
}

TEST(Voronoi, ALineOfSamplesHasCellsOfTheOutlineOnly) {
  Trajectory t;
  t.kx = {-2, -1, 0, 1, 2};
  t.ky = {0, 0, 0, 0, 0};
  auto const w = voronoi_density(t, {8, 8, 1});
  for (std::size_t m = 1; m < 4; ++m) EXPECT_NEAR(w[m] * 64, 1, kRounding);
}

TEST(Voronoi, RefusesWhatCannotBe) {
  StackOfStarsOptions o;
  o.spokes = 3;
  EXPECT_EQ(refused([&] {
              voronoi_density(make_stack_of_stars({16, 16, 4}, o), {16, 16, 4});
            }),
            "Voronoi cells are computed in 2D, the trajectory has 3 dimensions");
  EXPECT_EQ(refused([] {
              voronoi_density({}, {16, 16, 1});
            }),
            "a trajectory without samples has no Voronoi cells");
  Trajectory far;
  far.kx = {1e6};
  far.ky = {NAN};
  EXPECT_NE(refused([&] { voronoi_density(far, {16, 16, 1}); }).find("sample 0 lies at"), std::string::npos);
}

}  // namespace
}  // namespace findrho
