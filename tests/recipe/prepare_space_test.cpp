// SPDX-License-Identifier: BSD-3-Clause
// Matrix, FOV, trajectory layout and unit: where samples lie in the image's k-space.
#include <gtest/gtest.h>

#include <numbers>

#include "prepare_events.hpp"
#include "support/caught.hpp"
#include "support/mrd_scan.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;
using test::prepared;
using test::Prepared;

/// Adds a third column to every readout's trajectory, value(i) at sample i of the scan.
template <class Value>
RawScan with_third_column(RawScan scan, Value value) {
  std::vector<float> columns;
  for (std::size_t i = 0; i < scan.trajectory.size() / 2; ++i) {
    columns.insert(columns.end(),
                   {scan.trajectory[2 * i], scan.trajectory[2 * i + 1], static_cast<float>(value(i))});
  }
  scan.trajectory = columns;
  for (RawReadout& r : scan.readouts) {
    r.trajectory_dims = 3;
    r.trajectory_offset = r.trajectory_offset / 2 * 3;
  }
  return scan;
}

TEST(PrepareSpace, UnitsBecomeCyclesPerFov) {
  Trajectory const expected = *prepared(test::radial_scan(16, 6)).dataset.frames.at(0).trajectory;
  EXPECT_EQ(expected.kx[0], -8);
  for (double const scale : {1.0 / 16, 2 * std::numbers::pi / 16}) {
    Prepared const p = prepared(test::radial_scan(16, 6, 2, scale));
    Trajectory const& t = *p.dataset.frames.at(0).trajectory;
    ASSERT_EQ(t.size(), expected.size());
    for (std::size_t i = 0; i < t.kx.size(); ++i) {
      // Two float32 roundings of |k| <= 8, before and after scaling: 2 x 8 x 6e-8 = 1e-6.
      EXPECT_NEAR(t.kx[i], expected.kx[i], 1e-6);
      EXPECT_NEAR(t.ky[i], expected.ky[i], 1e-6);
      EXPECT_LE(std::abs(t.kx[i]), 8);
    }
  }
}

TEST(PrepareSpace, SamplesOutsideAreRefusedWithTheProbableUnit) {
  Error const error = caught([] { prepared(test::radial_scan(16, 6, 2, 1 / 0.2)); });
  EXPECT_EQ(error.kind, ErrorKind::bad_option);
  EXPECT_TRUE(mentions(error, "|kx| = 40, outside the +-8 of cycles_per_fov; it is probably in per_m"));
  PrepareOptions options;
  options.units = TrajectoryUnits::per_m;
  EXPECT_NEAR(prepared(test::radial_scan(16, 6, 2, 1 / 0.2), options).dataset.frames[0].trajectory->kx[0], -8,
              1e-6);
}

TEST(PrepareSpace, ImageFovRescalesK) {
  RawScan scan = test::radial_scan(16, 6);
  scan.encodings[0].recon.matrix = {8, 8, 1};
  scan.encodings[0].recon.fov_mm = {100, 100, 5};
  Prepared const p = prepared(scan);
  EXPECT_EQ(p.dataset.matrix, (Matrix{8, 8, 1}));
  EXPECT_EQ(p.dataset.frames[0].trajectory->kx[0], -4);
  EXPECT_EQ(p.dataset.encoded_to_image[0], 2);
  EXPECT_EQ(p.dataset.frames[0].geometry.fov_mm[0], 100);
  EXPECT_TRUE(p.noted("k in cycles per image FOV = k in cycles per encoded FOV / (2, 2, 1)"));
}

TEST(PrepareSpace, SmallerImageMatrixLeavesOuterSamplesOut) {
  PrepareOptions options;
  options.matrix = {8, 8, 0};
  Prepared const p = prepared(test::radial_scan(16, 6), options);
  Trajectory const& t = *p.dataset.frames[0].trajectory;
  for (double const k : t.kx) EXPECT_LE(std::abs(k), 4);
  EXPECT_LT(t.size(), 96);
  EXPECT_EQ(p.dataset.frames[0].samples.size(), 2 * t.size());
  EXPECT_TRUE(p.noted("of 96 samples lie beyond N/2 of the image's matrix and are left out"));
}

TEST(PrepareSpace, OptionsOverrideTheHeader) {
  PrepareOptions options;
  options.matrix = {20, 24, 0};
  options.fov_mm = {400, 400, 0};
  Prepared const p = prepared(test::radial_scan(16, 6), options);
  EXPECT_EQ(p.dataset.matrix, (Matrix{20, 24, 1}));
  EXPECT_EQ(p.dataset.frames[0].geometry.fov_mm[1], 400);
  EXPECT_EQ(p.dataset.frames[0].geometry.fov_mm[2], 5);
  EXPECT_EQ(p.dataset.encoded_to_image[0], 0.5);
}

TEST(PrepareSpace, FovBelowOneIsTakenAsMetres) {
  RawScan scan = test::radial_scan(16, 6);
  scan.encodings[0].encoded.fov_mm = scan.encodings[0].recon.fov_mm = {0.2, 0.2, 1};
  Prepared const p = prepared(scan);
  EXPECT_TRUE(p.warned("the FOV is 0.2 x 0.2: probably metres, taken as 200 x 200 mm"));
  EXPECT_EQ(p.dataset.frames[0].geometry.fov_mm, (std::array<double, 3>{200, 200, 1}));
}

TEST(PrepareSpace, UnknownFovIsAWarningAndStaysUnknown) {
  RawScan scan = test::radial_scan(16, 6);
  scan.encodings[0].encoded.fov_mm = scan.encodings[0].recon.fov_mm = {0, 0, 0};
  Prepared const p = prepared(scan);
  EXPECT_TRUE(p.warned("FOV is 0 along xy: unknown, voxels of 1 mm are assumed"));
  EXPECT_EQ(p.dataset.frames[0].geometry.fov_mm[0], 0);
  PrepareOptions options;
  options.units = TrajectoryUnits::per_m;
  EXPECT_TRUE(mentions(caught([&] { prepared(scan, options); }), "field of view"));
}

TEST(PrepareSpace, MissingReconSpaceIsTheEncodedSpace) {
  RawScan scan = test::radial_scan(16, 6);
  scan.encodings[0].recon = {};
  Prepared const p = prepared(scan);
  EXPECT_EQ(p.dataset.matrix, (Matrix{16, 16, 1}));
  EXPECT_EQ(p.dataset.frames[0].geometry.fov_mm[0], 200);
  EXPECT_TRUE(p.noted("no reconSpace"));
}

TEST(PrepareSpace, MissingMatrixIsAskedFor) {
  RawScan scan = test::radial_scan(16, 6);
  scan.encodings[0].recon = scan.encodings[0].encoded = {};
  EXPECT_TRUE(mentions(caught([&] { prepared(scan); }), "--matrix"));
  PrepareOptions options;
  options.matrix = {16, 16, 0};
  EXPECT_EQ(prepared(scan, options).dataset.matrix, (Matrix{16, 16, 1}));
  scan.encodings[0].encoded = {.present = true, .matrix = {100000, 16, 1}};
  EXPECT_TRUE(mentions(caught([&] { prepared(scan); }), "100000 x 16 x 1"));
}

TEST(PrepareSpace, FlatImageOf3dScanIsRefused) {
  RawScan scan = test::radial_scan(16, 12);
  for (RawSpace* space : {&scan.encodings[0].encoded, &scan.encodings[0].recon}) space->matrix[2] = 4;
  PrepareOptions options;
  options.matrix = {16, 16, 1};
  EXPECT_TRUE(mentions(caught([&] { prepared(scan, options); }),
                       "the scan is 3D (4 partitions), the image has z = 1"));
}

TEST(PrepareSpace, TooManyVoxelsPerSampleAreNotBelieved) {
  RawScan scan = test::radial_scan(16, 6);  // 96 samples: up to 6144 voxels
  scan.encodings[0].recon.matrix = {78, 78, 1};
  EXPECT_EQ(prepared(scan).dataset.matrix.x, 78);
  scan.encodings[0].recon.matrix = {79, 78, 1};
  Error const error = caught([&] { prepared(scan); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "matrix 79 x 78 x 1 has 64 voxels per sample (96 samples)"));
}

TEST(PrepareLayout, ZeroThirdColumnOf2dIsIgnored) {
  Prepared const p = prepared(with_third_column(test::radial_scan(16, 6), [](std::size_t) { return 0; }));
  EXPECT_EQ(p.dataset.frames[0].trajectory->dims, 2);
  EXPECT_TRUE(p.dataset.frames[0].trajectory->kz.empty());
  EXPECT_TRUE(p.dataset.frames[0].density.empty());
  EXPECT_TRUE(p.noted("third column is 0: the scan is 2D"));
}

TEST(PrepareLayout, NonNegativeThirdColumnOf2dIsDensityWeights) {
  RawScan const scan = with_third_column(test::radial_scan(16, 6), [](std::size_t i) { return i; });
  Prepared const p = prepared(scan);
  ASSERT_EQ(p.dataset.frames[0].density.size(), 96U);
  EXPECT_EQ(p.dataset.frames[0].density[17], 17);
  EXPECT_TRUE(p.noted("taken as density weights"));
  PrepareOptions options;
  options.layout = TrajectoryLayout::xy;
  EXPECT_TRUE(prepared(scan, options).dataset.frames[0].density.empty());
}

TEST(PrepareLayout, OtherThirdColumnsOf2dAreAskedFor) {
  RawScan const scan =
      with_third_column(test::radial_scan(16, 6), [](std::size_t i) { return i == 3 ? -1 : 1; });
  EXPECT_TRUE(mentions(caught([&] { prepared(scan); }), "this 2D scan is -1..1: kz or density weights?"));
  PrepareOptions options;
  options.layout = TrajectoryLayout::xyz;
  EXPECT_TRUE(mentions(caught([&] { prepared(scan, options); }), "z = 1"));
  options.layout = TrajectoryLayout::xyw;
  EXPECT_EQ(prepared(scan, options).dataset.frames[0].density[3], -1);
  EXPECT_TRUE(mentions(caught([&] { prepared(test::radial_scan(), options); }), "has 2 columns"));
}

TEST(PrepareLayout, ThirdColumnOf3dIsKz) {
  RawScan scan =
      with_third_column(test::radial_scan(16, 12), [](std::size_t i) { return static_cast<int>(i % 4) - 2; });
  for (RawSpace* space : {&scan.encodings[0].encoded, &scan.encodings[0].recon}) space->matrix[2] = 4;
  Prepared const p = prepared(scan);
  EXPECT_EQ(p.dataset.frames[0].trajectory->dims, 3);
  EXPECT_EQ(p.dataset.frames[0].trajectory->kz[0], -2);
  EXPECT_EQ(p.dataset.frames[0].trajectory->kz[3], 1);
}

TEST(PrepareLayout, StackTakesKzFromThePartitionNumber) {
  RawScan scan = test::radial_scan(16, 12);
  for (RawSpace* space : {&scan.encodings[0].encoded, &scan.encodings[0].recon}) space->matrix[2] = 4;
  for (std::size_t i = 0; i < 12; ++i) scan.readouts[i].kz = static_cast<int>(i % 4);
  Prepared const p = prepared(scan);
  EXPECT_EQ(p.dataset.frames[0].trajectory->kz[0], -2);
  EXPECT_EQ(p.dataset.frames[0].trajectory->kz[3 * 16], 1);
  EXPECT_TRUE(p.noted("kz from the partition number"));
  scan.readouts[5].kz = 4;
  EXPECT_TRUE(
      mentions(caught([&] { prepared(scan); }), "readout 5: its partition lies at k = 2, outside -2..1"));
}

TEST(PrepareLayout, ColumnCountsMustAgree) {
  RawScan scan = test::radial_scan(16, 6);
  scan.readouts[2].trajectory_dims = 1;
  EXPECT_TRUE(
      mentions(caught([&] { prepared(scan); }), "readout 2 has a trajectory of 1 columns, readout 0 has 2"));
}

TEST(PrepareGeometry, IsTakenFromTheDirections) {
  RawScan scan = test::radial_scan(16, 6);
  scan.readouts[0].read_dir = {0, 2, 0};
  scan.readouts[0].phase_dir = {-1, 0, 0};
  scan.readouts[0].position = {1, 2, 3};
  Geometry const g = prepared(scan).dataset.frames[0].geometry;
  EXPECT_TRUE(g.orientation_known);
  EXPECT_EQ(g.read, (std::array<double, 3>{0, 1, 0}));
  EXPECT_EQ(g.position_mm, (std::array<double, 3>{1, 2, 3}));
}

TEST(PrepareGeometry, DirectionsThatAreZeroOrAskewAreUnknown) {
  for (std::array<float, 3> const& direction :
       {std::array<float, 3>{0, 0, 0}, std::array<float, 3>{1, 1, 0}}) {
    RawScan scan = test::radial_scan(16, 6);
    for (RawReadout& r : scan.readouts) r.phase_dir = direction;
    Prepared const p = prepared(scan);
    EXPECT_FALSE(p.dataset.frames[0].geometry.orientation_known);
    EXPECT_EQ(p.dataset.frames[0].geometry.read, (std::array<double, 3>{1, 0, 0}));
    EXPECT_TRUE(p.noted("orientation unknown"));
  }
}

}  // namespace
}  // namespace findrho
