// SPDX-License-Identifier: BSD-3-Clause
// How the exponential of a grid becomes a matrix product, for CPU and GPU alike: docs/math/separable.md.
//   exp(i 2 pi k.r) = exp(i 2 pi k.centre) exp(i a) exp(i b) exp(i c)
// a and b make the left factor, c the right one. In 3D they are x, y, z in the order that fills tiles best. In 2D x is
// cut into runs of kRun points: a is the point within a run, b the run, c is y; points past the end are left out.
// Of a slot of all three factors (eight points) the sums are W[comp][p][q][r]: comp the real and imaginary part of mu,
// p, q, r the cosine or sine along a, b, c.
#pragma once
#include <algorithm>
#include <array>
#include <complex>

#include "dft/grid.hpp"

namespace findrho::ladder {

struct Factor {
  GridAxis axis;            // origin is not used: centres are taken out of the exponential
  int k = 0;                // which coordinate of a sample it belongs to: 0, 1, 2 for x, y, z
  std::int64_t stride = 1;  // between its neighbours in the grid's array
};

struct SeparablePlan {
  static constexpr std::int64_t kRun = 8;
  Factor a, b, c;
  std::array<double, 3> centre{};
  std::int64_t row = 0;  // in 2D: points of the grid along x, where runs end

  /// Index of a point of the grid, -1 where there is none.
  std::int64_t point(std::int64_t ia, std::int64_t ib, std::int64_t ic) const {
    if (row > 0 && ia + ib * b.stride >= row) return -1;
    return ia * a.stride + ib * b.stride + ic * c.stride;
  }
  /// Multiplications with additions of real numbers that the matrix product takes, for so many samples.
  double multiply_adds(double samples) const {
    return 16 * samples * static_cast<double>(a.axis.slots() * b.axis.slots() * c.axis.slots());
  }
};

/// Slots that tiles of 4, 8 and 64 cover: what a device computes, more than there are where a size does not fit.
inline std::int64_t covered(Factor const& a, Factor const& b, Factor const& c) {
  auto const up = [](std::int64_t n, std::int64_t tile) { return (n + tile - 1) / tile * tile; };
  return up(a.axis.slots(), 4) * up(b.axis.slots(), 8) * up(c.axis.slots(), 64);
}

inline SeparablePlan plan_for(Grid const& g) {
  if (g.z.size > 1 || g.y.size == 1) {
    std::array<Factor, 3> const f{Factor{g.x, 0, 1}, Factor{g.y, 1, g.x.size},
                                  Factor{g.z, 2, g.x.size * g.y.size}};
    SeparablePlan plan{.a = f[0], .b = f[1], .c = f[2], .centre = {g.x.centre(), g.y.centre(), g.z.centre()}};
    std::array<std::size_t, 3> order{0, 1, 2};
    while (std::next_permutation(order.begin(), order.end())) {
      Factor const &a = f[order[0]], &b = f[order[1]], &c = f[order[2]];
      if (covered(a, b, c) < covered(plan.a, plan.b, plan.c)) plan.a = a, plan.b = b, plan.c = c;
    }
    return plan;
  }
  std::int64_t const run = SeparablePlan::kRun, runs = (g.x.size + run - 1) / run;
  GridAxis const within{.size = run, .origin = 0, .step = g.x.step};
  GridAxis const between{.size = runs, .origin = g.x.origin, .step = g.x.step * static_cast<double>(run)};
  return {.a = {within, 0, 1},
          .b = {between, 0, run},
          .c = {g.y, 1, g.x.size},
          .centre = {within.centre() + between.centre(), g.y.centre(), g.z.centre()},
          .row = g.x.size};
}

/// The sums of one slot, [p][q][r], mu's two parts as one complex number.
using SlotSums = std::array<std::complex<double>, 8>;

/// From sums to the slot's points: (c + i s) for the point on the plus side, (c - i s) on the minus side, along every
/// axis. Its own transpose serves the other direction.
inline SlotSums sums_to_points(SlotSums v) {
  for (std::size_t bit : {4u, 2u, 1u}) {
    for (std::size_t i = 0; i < 8; ++i) {
      if ((i & bit) != 0) continue;
      std::complex<double> const cosine = v[i], sine = v[i | bit], turned(-sine.imag(), sine.real());
      v[i] = cosine + turned;
      v[i | bit] = cosine - turned;
    }
  }
  return v;
}

/// From the points of a slot to what multiplies cosines and sines: the transpose of sums_to_points.
inline SlotSums points_to_sums(SlotSums v) {
  for (std::size_t bit : {4u, 2u, 1u}) {
    for (std::size_t i = 0; i < 8; ++i) {
      if ((i & bit) != 0) continue;
      std::complex<double> const plus = v[i], minus = v[i | bit], difference = plus - minus;
      v[i] = plus + minus;
      v[i | bit] = {-difference.imag(), difference.real()};
    }
  }
  return v;
}

/// The points of a slot in the order of sums_to_points: bit 2 is the minus side of a, bit 1 of b, bit 0 of c.
/// The centre of an odd axis stands on the plus side only: -1 on the other.
inline std::array<std::int64_t, 8> points_of(SeparablePlan const& plan, std::int64_t sa, std::int64_t sb,
                                             std::int64_t sc) {
  std::array<std::int64_t, 8> points{};
  auto const index = [](GridAxis const& axis, std::int64_t slot, bool minus) {
    if (!minus) return axis.plus(slot);
    return axis.plus(slot) == axis.minus(slot) ? -1 : axis.minus(slot);
  };
  for (std::size_t i = 0; i < 8; ++i) {
    std::int64_t const ia = index(plan.a.axis, sa, (i & 4) != 0), ib = index(plan.b.axis, sb, (i & 2) != 0),
                       ic = index(plan.c.axis, sc, (i & 1) != 0);
    points[i] = ia < 0 || ib < 0 || ic < 0 ? -1 : plan.point(ia, ib, ic);
  }
  return points;
}

}  // namespace findrho::ladder
