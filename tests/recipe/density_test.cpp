// SPDX-License-Identifier: BSD-3-Clause
// The three ways to weigh samples, laid side by side.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "findrho/recipe/psf.hpp"
#include "findrho/trajectory/generate.hpp"

namespace findrho {
namespace {

Context const context = Context::cpu(2);
Matrix const kMatrix{64, 64, 1};

struct Weighed {
  Trajectory t;
  std::vector<double> analytic, voronoi, pipe_menon;
};

Weighed weighed(char const* word) {
  Weighed w{make_trajectory(kMatrix, parse_trajectory(word)), {}, {}, {}};
  w.analytic = density_of(context, w.t, kMatrix, DensityKind::analytic);
  w.voronoi = density_of(context, w.t, kMatrix, DensityKind::voronoi);
  w.pipe_menon = density_of(context, w.t, kMatrix, DensityKind::pipe_menon);
  return w;
}

double radius(Trajectory const& t, std::size_t m) {
  return std::hypot(t.kx[m], t.ky[m]);
}

/// Sum of the weights of the samples with from <= |k| < to, in square cycles per FOV.
double ring(Weighed const& w, std::vector<double> const& weights, double from, double to) {
  double sum = 0;
  for (std::size_t m = 0; m < weights.size(); ++m) {
    if (radius(w.t, m) >= from && radius(w.t, m) < to) sum += weights[m];
  }
  return sum * static_cast<double>(kMatrix.voxels());
}

TEST(DensityMethods, VoronoiCellsOfSpokesAreTheRampAndPipeMenonComesClose) {
  Weighed const w = weighed("radial:shots=101");
  double const angle = std::numbers::pi / 101;
  for (std::size_t m = 0; m < w.analytic.size(); ++m) {
    double const r = radius(w.t, m);
    if (r > 30.5) continue;  // beyond, the ends of the spokes: rings of different outlines
    // The bisectors between spokes bound a trapezoid of area 2 r tan(angle/2), a ring's share is r angle: angle^2/12 less.
    // Positions rounded to 2^-17 move its sides, r angle or 1 apart.
    double const tolerance = angle * angle / 12 + 4.0 / 131072 / std::min(1.0, std::max(r, 0.25) * angle);
    if (r < 0.5) continue;  // samples at DC share their cell
    EXPECT_NEAR(w.voronoi[m] / w.analytic[m], 1, tolerance + 1e-9) << r;
  }
  for (double r = 1.5; r < 27; r += 1) {
    // Pipe and Menon's ten iterations leave rings within 2 % of the ramp (pipe_menon.hpp), but for those near the spokes' ends
    // at 31 and 32: their kernel reaches 1.5 cycles per FOV, and what it does there a second one further.
    EXPECT_NEAR(ring(w, w.pipe_menon, r, r + 1) / ring(w, w.analytic, r, r + 1), 1, 0.02) << r;
  }
}

TEST(DensityMethods, AllAgreeOnTheRingsOfASpiral) {
  for (char const* word : {"spiral:shots=8", "spiral_vd:shots=8"}) {
    Weighed const w = weighed(word);
    for (double r = 4; r < 28; r += 4) {
      double const analytic = ring(w, w.analytic, r, r + 4);
      // Cells of two turns meet on a zigzag that leaves the middle line by at most 1/8 (samples 1 apart, turns 1 apart), so
      // that the edges of a ring four turns wide are uncertain by 2/8 of 4.
      EXPECT_NEAR(ring(w, w.voronoi, r, r + 4) / analytic, 1, 0.25 / 4) << word << " " << r;
      // The same edges, and the 2 % of ten iterations.
      EXPECT_NEAR(ring(w, w.pipe_menon, r, r + 4) / analytic, 1, 0.25 / 4 + 0.02) << word << " " << r;
    }
  }
}

}  // namespace
}  // namespace findrho
