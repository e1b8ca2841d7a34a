// SPDX-License-Identifier: BSD-3-Clause
// Samples: which are kept, where Cartesian ones lie, when they are, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "prepare_events.hpp"
#include "support/caught.hpp"
#include "support/mrd_scan.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;
using test::prepared;
using test::Prepared;
using test::sample_value;

TEST(PrepareSamples, DiscardsAreLeftOutAndTimeRunsOn) {
  RawScan scan = test::radial_scan(16, 6);
  for (RawReadout& r : scan.readouts) {
    r.discard_pre = 2;
    r.discard_post = 3;
    r.center_sample = 8;
  }
  scan.data[static_cast<std::size_t>(scan.readouts[0].data_offset + 1)] = NAN;  // discarded
  Dataset const d = prepared(scan).dataset;
  Trajectory const& t = *d.frames[0].trajectory;
  EXPECT_EQ(t.samples_per_readout, 11);
  EXPECT_EQ(t.kx[0], -6);
  EXPECT_EQ(d.frames[0].samples[0], sample_value(0, 2, 0));
  EXPECT_FLOAT_EQ(t.time_s[0], -24e-6F);  // six dwells of 4 us before the centre
  EXPECT_FLOAT_EQ(t.time_s[6], 0);
  EXPECT_FLOAT_EQ(static_cast<float>(d.dwell_s), 4e-6F);
}

TEST(PrepareSamples, UnknownDwellLeavesTimeEmpty) {
  RawScan scan = test::radial_scan(16, 6);
  scan.readouts[1].dwell_us = 0;
  Dataset const d = prepared(scan).dataset;
  EXPECT_TRUE(d.frames[0].trajectory->time_s.empty());
  EXPECT_EQ(d.dwell_s, 0);
}

TEST(PrepareSamples, ReadoutsMayDifferInLength) {
  RawScan scan = test::radial_scan(16, 6);
  RawReadout r = test::readout_of(5, 2);
  r.trajectory_dims = 2;
  test::append_readout(scan, r);
  Dataset const d = prepared(scan).dataset;
  EXPECT_EQ(d.frames[0].trajectory->samples_per_readout, 0);
  EXPECT_EQ(d.frames[0].trajectory->size(), 101);
  EXPECT_EQ(d.frames[0].samples[101 + 100], sample_value(6, 4, 1));
}

TEST(PrepareSamples, ReversedReadoutsWithATrajectoryStayAsTheyAre) {
  RawScan scan = test::radial_scan(16, 6);
  scan.readouts[0].flags = static_cast<std::uint64_t>(ReadoutFlag::reverse);
  Dataset const d = prepared(scan).dataset;
  EXPECT_EQ(d.frames[0].trajectory->kx[0], -8);
  EXPECT_EQ(d.frames[0].samples[0], sample_value(0, 0, 0));
}

TEST(PrepareCartesian, LinesAndSamplesLieOnTheIntegerGrid) {
  Dataset const d = prepared(test::cartesian_scan(8)).dataset;
  EXPECT_TRUE(d.cartesian);
  Trajectory const& t = *d.frames[0].trajectory;
  ASSERT_EQ(t.size(), 64);
  EXPECT_EQ(t.samples_per_readout, 8);
  for (std::int64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(t.kx[static_cast<std::size_t>(i)], static_cast<double>(i % 8 - 4));
    EXPECT_EQ(t.ky[static_cast<std::size_t>(i)], static_cast<double>(i / 8 - 4));
  }
}

TEST(PrepareCartesian, ReadoutOversamplingGivesHalfSteps) {
  RawScan scan = test::cartesian_scan(8);
  scan.encodings[0].recon.matrix[0] = 4;
  scan.encodings[0].recon.fov_mm[0] = 100;
  Dataset const d = prepared(scan).dataset;
  EXPECT_EQ(d.matrix, (Matrix{4, 8, 1}));
  EXPECT_EQ(d.encoded, (Matrix{8, 8, 1}));
  EXPECT_EQ(d.encoded_to_image[0], 2);
  EXPECT_EQ(d.frames[0].trajectory->kx[1], -1.5);
}

TEST(PrepareCartesian, ReversedReadoutRunsBackwards) {
  RawScan scan = test::cartesian_scan(8);
  scan.readouts[1].flags = static_cast<std::uint64_t>(ReadoutFlag::reverse);
  Trajectory const t = *prepared(scan).dataset.frames[0].trajectory;
  EXPECT_EQ(t.kx[0], -4);
  EXPECT_EQ(t.kx[8], 3);
  EXPECT_EQ(t.kx[15], -4);
  EXPECT_LT(t.time_s[8], t.time_s[15]);
  EXPECT_EQ(t.kx[11], 0);
  EXPECT_EQ(t.time_s[11], 0);
}

TEST(PrepareCartesian, PartialFourierKeepsTheHeadersCentres) {
  RawScan scan = test::cartesian_scan(8);
  scan.encodings[0].ky.center = 2;
  scan.encodings[0].ky.maximum = 5;
  scan.readouts.resize(6);
  for (RawReadout& r : scan.readouts) {
    r.samples = 6;  // the first two channels' stride is 6 now; positions are what this test looks at
    r.center_sample = 2;
  }
  Trajectory const t = *prepared(scan).dataset.frames[0].trajectory;
  EXPECT_EQ(t.kx[0], -2);
  EXPECT_EQ(t.kx[5], 3);
  EXPECT_EQ(t.ky[0], -2);
  EXPECT_EQ(t.ky.back(), 3);
}

TEST(PrepareCartesian, CentresThatWereNotFilledInAreTheMiddle) {
  RawScan scan = test::cartesian_scan(8);
  scan.encodings[0].ky.center = 0;
  for (RawReadout& r : scan.readouts) r.center_sample = 0;
  Prepared const p = prepared(scan);
  EXPECT_EQ(p.dataset.frames[0].trajectory->kx[0], -4);
  EXPECT_EQ(p.dataset.frames[0].trajectory->ky[0], -4);
  EXPECT_TRUE(p.noted("center_sample is 0"));
  EXPECT_TRUE(p.noted("centre at 0 of 0..7: 4 is taken"));
}

TEST(PrepareCartesian, LinesOffTheGridAreRefused) {
  RawScan scan = test::cartesian_scan(8);
  scan.encodings[0].ky = {.present = true, .minimum = 0, .maximum = 7, .center = 2};
  EXPECT_TRUE(mentions(caught([&] { prepared(scan); }), "readout 6: its line lies at k = 4, outside -4..3"));
  scan = test::cartesian_scan(8);
  scan.readouts[3].ky = 8;
  EXPECT_TRUE(
      mentions(caught([&] { prepared(scan); }), "readout 3: idx.kspace_encode_step_1 8 outside 0..7"));
  scan = test::cartesian_scan(8);
  scan.readouts[3].center_sample = 6;
  EXPECT_TRUE(mentions(caught([&] { prepared(scan); }), "readout 3: its first sample lies at k = -6"));
}

TEST(PrepareCartesian, LinesAcquiredAgainAreAveraged) {
  RawScan scan = test::cartesian_scan(8);
  RawReadout again = scan.readouts[3];
  again.average = 1;
  test::append_readout(scan, again);
  Prepared const p = prepared(scan);
  ASSERT_EQ(p.dataset.frames[0].trajectory->size(), 64);
  EXPECT_EQ(p.dataset.frames[0].trajectory->samples_per_readout, 8);
  std::complex<float> const mean = 0.5F * (sample_value(3, 2, 1) + sample_value(8, 2, 1));
  EXPECT_EQ(p.dataset.frames[0].samples[64 + 3 * 8 + 2], mean);
  EXPECT_EQ(p.dataset.frames[0].samples[64 + 4 * 8], sample_value(4, 0, 1));
  EXPECT_TRUE(p.noted("8 samples acquired again are averaged"));
}

TEST(PrepareCartesian, SmallerImageMatrixKeepsTheCentreOfTheGrid) {
  PrepareOptions options;
  options.matrix = {4, 4, 0};
  Trajectory const t = *prepared(test::cartesian_scan(8), options).dataset.frames[0].trajectory;
  ASSERT_EQ(t.size(), 16);
  EXPECT_EQ(t.kx[0], -2);
  EXPECT_EQ(t.kx[3], 1);
  EXPECT_EQ(t.samples_per_readout, 4);
}

TEST(PrepareCartesian, EchoPlanarLinesWithoutTrajectoryAreCartesian) {
  RawScan scan = test::cartesian_scan(8);
  scan.encodings[0].trajectory = "epi";
  EXPECT_TRUE(prepared(scan).dataset.cartesian);
}

TEST(PrepareCartesian, TrajectoryOnTheGridIsCartesianElseNot) {
  RawScan scan = test::cartesian_scan(8);
  scan.trajectory.clear();
  for (RawReadout& r : scan.readouts) {
    r.trajectory_dims = 2;
    r.trajectory_offset = static_cast<std::int64_t>(scan.trajectory.size());
    for (int s = 0; s < 8; ++s) {
      scan.trajectory.push_back(static_cast<float>(s - 4) / 8);
      scan.trajectory.push_back(static_cast<float>(r.ky - 4) / 8);
    }
  }
  EXPECT_TRUE(prepared(scan).dataset.cartesian);
  scan.trajectory[20] += 0.01F;
  Prepared const off = prepared(scan);
  EXPECT_FALSE(off.dataset.cartesian);
  EXPECT_TRUE(off.noted("off its grid"));
}

TEST(PrepareRefuses, NonCartesianWithoutTrajectory) {
  RawScan scan = test::cartesian_scan(8);
  scan.encodings[0].trajectory = "spiral";
  Error const error = caught([&] { prepared(scan); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "readout 0 has no trajectory, and its encoding is \"spiral\""));
}

TEST(PrepareRefuses, TrajectoriesOfSomeReadoutsOnly) {
  RawScan scan = test::radial_scan(16, 6);
  scan.encodings[0].trajectory = "cartesian";
  scan.readouts[4].trajectory_dims = 0;
  EXPECT_TRUE(mentions(caught([&] { prepared(scan); }), "readout 0 has a trajectory, readout 4 has none"));
}

TEST(PrepareRefuses, TrajectoryThatIsTooShort) {
  RawScan scan = test::radial_scan(16, 6);
  scan.trajectory.resize(scan.trajectory.size() - 2);
  EXPECT_TRUE(
      mentions(caught([&] { prepared(scan); }), "readout 5 has 16 samples, its trajectory 30 values"));
}

TEST(PrepareRefuses, CoilCountsThatDiffer) {
  RawScan scan = test::radial_scan(16, 6);
  RawReadout r = test::readout_of(16, 3);
  r.trajectory_dims = 2;
  test::append_readout(scan, r);
  Error const error = caught([&] { prepared(scan); });
  EXPECT_TRUE(mentions(error, "readout 6 has 3 coils, readout 0 has 2"));
}

TEST(PrepareRefuses, NanAndInfinityNamingTheFirst) {
  RawScan scan = test::radial_scan(16, 600);
  scan.data[static_cast<std::size_t>(scan.readouts[500].data_offset + 16 + 3)] = {0, INFINITY};
  scan.data[static_cast<std::size_t>(scan.readouts[400].data_offset + 16 + 7)] = {NAN, 0};
  Error const samples = caught([&] { prepared(scan); });
  EXPECT_EQ(samples.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(samples, "readout 400, sample 7, coil 1 is nan"));

  scan = test::radial_scan(16, 6);
  scan.trajectory[static_cast<std::size_t>(scan.readouts[2].trajectory_offset + 2 * 5 + 1)] = INFINITY;
  EXPECT_TRUE(
      mentions(caught([&] { prepared(scan); }), "trajectory of readout 2, sample 5, column 1 is inf"));
}

TEST(PrepareRefuses, NothingButZeros) {
  RawScan scan = test::radial_scan(16, 6);
  std::fill(scan.data.begin(), scan.data.end(), std::complex<float>());
  Error const error = caught([&] { prepared(scan); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "all 96 samples of 2 coils are zero"));
}

TEST(PrepareRefuses, DiscardingEverything) {
  RawScan scan = test::radial_scan(16, 6);
  scan.readouts[1].discard_pre = 10;
  scan.readouts[1].discard_post = 6;
  EXPECT_TRUE(mentions(caught([&] { prepared(scan); }), "readout 1 discards 10 + 6 of its 16 samples"));
}

TEST(PrepareWarns, OfFramesThatHoldNothing) {
  RawScan scan = test::radial_scan(16, 6);
  for (std::size_t i = 3; i < 6; ++i) {
    RawReadout& r = scan.readouts[i];
    r.repetition = 1;
    std::fill_n(scan.data.begin() + r.data_offset, r.samples * r.channels, std::complex<float>());
  }
  EXPECT_TRUE(prepared(scan).warned("1 of 2 frames hold nothing but zeros"));
}

}  // namespace
}  // namespace findrho
