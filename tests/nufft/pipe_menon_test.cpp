// SPDX-License-Identifier: BSD-3-Clause
// Pipe-Menon weights where the right answer is known in closed form.
#include "findrho/nufft/pipe_menon.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "nufft/samples.hpp"

namespace findrho {
namespace {

Trajectory cartesian(Matrix const& m) {
  Trajectory t;
  t.dims = m.dims();
  for (std::int64_t i = 0; i < m.voxels(); ++i) {
    t.kx.push_back(static_cast<double>(i % m.x - m.x / 2));
    t.ky.push_back(static_cast<double>(i / m.x % m.y - m.y / 2));
    if (t.dims == 3) t.kz.push_back(static_cast<double>(i / (m.x * m.y) - m.z / 2));
  }
  return t;
}

// On a full Cartesian grid each sample stands for one cell: 1 / prod N. 2 % is the project's demand; with the grid
// periodic every sample has the same neighbours, so that what is left is float rounding.
TEST(PipeMenon, WeighsAFullCartesianGridEvenly) {
  Context const context = Context::cpu(2);
  for (Matrix const m : {Matrix{32, 24, 1}, Matrix{16, 15, 12}}) {
    Trajectory const t = cartesian(m);
    EXPECT_DOUBLE_EQ(sampled_area(t, m), static_cast<double>(m.voxels()));
    for (double w : pipe_menon_weights(context, t, m))
      EXPECT_NEAR(w * static_cast<double>(m.voxels()), 1, 0.02);
  }
}

// Spokes are pi |k| / spokes apart and samples dr apart along them: w = pi |k| dr / spokes / prod N. Rings are averaged
// over the spokes: where these lie closer than the kernel is wide, single weights scatter and only their sum is defined.
// 3 %: the count of cells on the rim of the disc (1.3 % here), and what the iterations leave.
TEST(PipeMenon, FollowsTheRampOfRadialSpokes) {
  Context const context = Context::cpu(2);
  Matrix const m{64, 64, 1};
  std::int64_t const spokes = 128, per_spoke = 128;
  Trajectory const t = test::radial(m, spokes, per_spoke);
  std::vector<double> const w = pipe_menon_weights(context, t, m);
  double sum = 0;
  for (std::int64_t j = 0; j < per_spoke; ++j) {
    double const k = std::abs(static_cast<double>(j - per_spoke / 2)) / 2;
    double mean = 0;
    for (std::int64_t i = 0; i < spokes; ++i) mean += w[static_cast<std::size_t>(i * per_spoke + j)] / spokes;
    sum += mean * spokes;
    if (k >= 4 && k <= 28) {
      EXPECT_NEAR(mean / (std::numbers::pi * k * 0.5 / spokes / 4096), 1, 0.03) << k;
    }
  }
  EXPECT_NEAR(sum / (std::numbers::pi / 4), 1, 0.02);  // the disc of radius N/2
}

TEST(PipeMenon, GivesTheSameBytesOnOneAndTwoThreads) {
  Matrix const m{32, 32, 1};
  Trajectory const t = test::radial(m, 40, 64);
  EXPECT_EQ(pipe_menon_weights(Context::cpu(1), t, m, 5), pipe_menon_weights(Context::cpu(2), t, m, 5));
}

}  // namespace
}  // namespace findrho
