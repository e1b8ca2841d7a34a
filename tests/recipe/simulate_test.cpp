// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/io/mrd_read.hpp"
#include "findrho/io/mrd_write.hpp"
#include "findrho/recipe/prepare.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

Context const context = Context::cpu(2);

TEST(Simulate, SpokesCarryTheirTrajectoryAndTheExactSamples) {
  SimulateOptions options{.matrix = {32, 32, 1}, .coils = 3};
  options.trajectory = Radial2dOptions{.spokes = 7, .dwell_s = 4e-6};
  SimulatedScan const s = simulate(context, options);
  ASSERT_EQ(s.shots, 7);
  ASSERT_EQ(s.scan.readouts.size(), 7U);
  EXPECT_DOUBLE_EQ(s.scan_time_s, 0.07);
  EXPECT_EQ(s.scan.encodings.at(0).trajectory, "radial");
  EXPECT_EQ(s.scan.encodings.at(0).ky.maximum, 6);
  auto const expected =
      phantom_samples(context, shepp_logan(2), options.matrix, s.trajectory, make_coils(2, options.coils));
  for (RawReadout const& r : s.scan.readouts) {
    EXPECT_EQ(r.channels, 3);
    EXPECT_EQ(r.samples, 32);
    EXPECT_EQ(r.center_sample, 16);
    EXPECT_FLOAT_EQ(r.dwell_us, 4);
    EXPECT_EQ(r.trajectory_dims, 2);
    for (std::int64_t j = 0; j < r.samples; ++j) {
      std::int64_t const m = r.ky * r.samples + j;
      auto const at = static_cast<std::size_t>(r.trajectory_offset + 2 * j);
      EXPECT_EQ(s.scan.trajectory[at], static_cast<float>(s.trajectory.kx[static_cast<std::size_t>(m)]));
      EXPECT_EQ(s.scan.trajectory[at + 1], static_cast<float>(s.trajectory.ky[static_cast<std::size_t>(m)]));
      for (std::int64_t c = 0; c < 3; ++c) {
        EXPECT_EQ(s.scan.data[static_cast<std::size_t>(r.data_offset + c * r.samples + j)],
                  std::complex<float>(expected[c * s.trajectory.size() + m]));
      }
    }
  }
}

TEST(Simulate, CartesianLinesCarryTheirNumbers) {
  SimulateOptions options{.matrix = {8, 6, 4}};
  options.trajectory = CartesianOptions{.acceleration = 2};
  SimulatedScan const s = simulate(context, options);
  EXPECT_EQ(s.scan.encodings.at(0).trajectory, "cartesian");
  EXPECT_EQ(s.scan.encodings.at(0).ky.center, 3);
  EXPECT_EQ(s.scan.encodings.at(0).kz.maximum, 3);
  EXPECT_TRUE(s.scan.trajectory.empty());
  ASSERT_EQ(s.scan.readouts.size(), 12U);  // ky = -2, 0, 2 (lines 1, 3, 5) of each of 4 planes
  EXPECT_EQ(s.scan.readouts[0].ky, 1);
  EXPECT_EQ(s.scan.readouts[0].kz, 0);
  EXPECT_EQ(s.scan.readouts[11].ky, 5);
  EXPECT_EQ(s.scan.readouts[11].kz, 3);
}

TEST(Simulate, ReadoutsFitTheAutomaticRepetitionTime) {
  SimulateOptions options{.matrix = {32, 32, 1}, .repetition_time_s = 0};
  options.trajectory = Radial2dOptions{.spokes = 3, .dwell_s = 5e-6};
  EXPECT_DOUBLE_EQ(simulate(context, options).scan_time_s, 3 * 0.01);
  options.trajectory = Radial2dOptions{.spokes = 3, .dwell_s = 1e-3};
  EXPECT_NEAR(simulate(context, options).scan_time_s, 3 * 0.037, 1e-12);  // 32 samples of 1 ms and 5 ms
}

TEST(Simulate, TheObjectMovesFromReadoutToReadout) {
  SimulateOptions options{.matrix = {32, 32, 1}, .fov_mm = {200, 200, 5}};
  options.trajectory = Radial2dOptions{.spokes = 4};
  options.motion = {.kind = MotionKind::step, .most = {{0, 0, 0}, {10, 0, 0}}};
  SimulatedScan const moved = simulate(context, options);
  options.motion = {};
  SimulatedScan const still = simulate(context, options);
  for (std::int64_t m = 0; m < still.trajectory.size(); ++m) {
    auto const i = static_cast<std::size_t>(m);
    // The last two spokes see the object 10 mm = 0.05 FOV further along x. Samples are rounded to float.
    double const turns = m < 64 ? 0 : 0.05 * still.trajectory.kx[i];
    auto const expected =
        std::complex<double>(still.scan.data[i]) * std::polar(1.0, -2 * std::numbers::pi * turns);
    EXPECT_NEAR(std::abs(std::complex<double>(moved.scan.data[i]) - expected), 0,
                2e-7 * std::abs(expected) + 1e-9);
  }
}

/// Readouts' noise: the samples of a scan less those of the same scan without noise.
std::vector<std::complex<double>> noise_of(SimulateOptions options) {
  auto const noisy = simulate(context, options).scan.data;
  options.snr = 0;
  auto const clean = simulate(context, options).scan.data;
  std::vector<std::complex<double>> noise;
  for (std::size_t i = 0; i < clean.size(); ++i) noise.push_back(std::complex<double>(noisy[i] - clean[i]));
  return noise;
}

TEST(Simulate, NoiseHasTheAskedSnrAndRepeatsWithItsSeed) {
  SimulateOptions options{.matrix = {64, 64, 1}, .coils = 2, .snr = 25, .seed = 11};
  SimulatedScan const s = simulate(context, options);
  double const mean = mean_inside(shepp_logan(2), s.truth, options.matrix);
  EXPECT_DOUBLE_EQ(s.noise_sigma, mean * 64 / 25);  // sqrt(prod N) = 64
  double square = 0;
  auto const noise = noise_of(options);
  for (auto const& value : noise) square += std::norm(value);
  double const count = 2 * static_cast<double>(noise.size());
  EXPECT_NEAR(std::sqrt(square / count) / s.noise_sigma, 1, 4 / std::sqrt(2 * count));  // 4 standard errors

  EXPECT_EQ(s.scan.data, simulate(context, options).scan.data);
  options.seed = 12;
  EXPECT_NE(s.scan.data, simulate(context, options).scan.data);
}

TEST(Simulate, TheNoiseReadoutComesFirstAndIsFlagged) {
  SimulatedScan const s =
      simulate(context, {.matrix = {32, 32, 1}, .coils = 2, .snr = 10, .noise_samples = 5000});
  RawReadout const& noise = s.scan.readouts.at(0);
  EXPECT_TRUE(noise.has(ReadoutFlag::noise));
  EXPECT_EQ(noise.samples, 5000);
  EXPECT_FALSE(s.scan.readouts.at(1).has(ReadoutFlag::noise));
  EXPECT_EQ(s.scan.readouts.size(), static_cast<std::size_t>(s.shots) + 1);
  double square = 0;
  for (std::int64_t i = 0; i < 10000; ++i) square += std::norm(s.scan.data[static_cast<std::size_t>(i)]);
  EXPECT_NEAR(std::sqrt(square / 20000) / s.noise_sigma, 1, 4 / std::sqrt(40000.0));  // 4 standard errors
}

TEST(Simulate, WrittenScansAreReadBackAsTheyWere) {
  TrajectoryOptions const kinds[] = {CartesianOptions{}, Radial2dOptions{.kind = SpokeKind::half},
                                     Radial3dOptions{.undersampling = 4}, Spiral2dOptions{.interleaves = 3}};
  test::TempFolder const folder;
  for (TrajectoryOptions const& kind : kinds) {
    bool const solid = std::holds_alternative<Radial3dOptions>(kind);
    SimulateOptions const options{
        .matrix = {24, 24, solid ? 24 : 1}, .trajectory = kind, .coils = 2, .snr = 30, .noise_samples = 64};
    SimulatedScan const s = simulate(context, options);
    std::string const path = folder / "scan.h5";
    write_mrd(path, s.scan);
    Dataset const data = prepare(context, read_mrd(context, path));

    EXPECT_EQ(data.matrix, options.matrix);
    EXPECT_EQ(data.cartesian, std::holds_alternative<CartesianOptions>(kind));
    EXPECT_EQ(data.coils, 2);
    EXPECT_EQ(data.noise.shape().extent(Axis::sample), 64);
    EXPECT_NEAR(data.dwell_s, 5e-6, 1e-12);  // float microseconds
    ASSERT_EQ(data.frames.size(), 1U);
    Trajectory const& t = *data.frames[0].trajectory;
    ASSERT_EQ(t.size(), s.trajectory.size());
    for (int d = 0; d < s.trajectory.dims; ++d) {
      for (std::size_t m = 0; m < t.kx.size(); ++m)
        EXPECT_NEAR(t[d][m], s.trajectory[d][m], 1e-6);  // float, up to 12
    }
    for (std::size_t m = 0; m < t.time_s.size(); ++m) EXPECT_NEAR(t.time_s[m], s.trajectory.time_s[m], 1e-9);
    auto const first = static_cast<std::size_t>(s.scan.readouts[1].data_offset);
    EXPECT_EQ(data.frames[0].samples[0], s.scan.data[first]);
  }
}

TEST(Simulate, LateGradientsMeasureElsewhereThanTheScanSays) {
  SimulateOptions options{.matrix = {32, 32, 1}};
  options.trajectory = Radial2dOptions{.spokes = 5, .dwell_s = 4e-6};
  SimulatedScan const on_time = simulate(context, options);
  options.delay.axis_s = {4e-6, 4e-6, 0};  // one sample late
  SimulatedScan const late = simulate(context, options);
  EXPECT_EQ(late.scan.trajectory, on_time.scan.trajectory);
  for (std::size_t m = 0; m < late.scan.data.size(); ++m) {
    if (m % 32 == 0) continue;
    // The dwell time comes from float times, to 1e-7: positions within 2e-6, the signal's slope is at most pi times its peak.
    EXPECT_LT(std::abs(late.scan.data[m] - on_time.scan.data[m - 1]), 1e-5 * std::abs(on_time.scan.data[16]));
  }
}

TEST(Simulate, RefusesWhatCannotBe) {
  auto const refused = [](SimulateOptions const& options) {
    try {
      simulate(context, options);
    } catch (Error const& error) {
      EXPECT_EQ(error.kind, ErrorKind::bad_option);
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_EQ(refused({.snr = -2}), "SNR is -2");
  EXPECT_EQ(refused({.coils = 0}), "the number of coils is 0");
  EXPECT_EQ(refused({.repetition_time_s = -1}), "the repetition time is -1000 ms");
  EXPECT_EQ(refused({.fov_mm = {220, -1, 5}}), "the field of view is -1 mm");
  EXPECT_EQ(refused({.noise_samples = 8}), "a noise readout of 8 samples was asked for without noise");
  EXPECT_EQ(refused({.snr = 1, .noise_samples = 65536}), "a noise readout of 65536 samples was asked for");
  EXPECT_EQ(refused({.supersampling = -1}), "supersampling is -1");
  EXPECT_EQ(refused({.matrix = {16, 16, 1}, .snr = 1e-300}),
            "the simulated samples leave single precision's range of 3.4e38");
  EXPECT_EQ(refused({.matrix = {16, 16, 16}}),
            "a 2D spiral trajectory has 2 dimensions, the matrix is 16 x 16 x 16");
}

}  // namespace
}  // namespace findrho
