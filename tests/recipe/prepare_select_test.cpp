// SPDX-License-Identifier: BSD-3-Clause
// Which readouts make which frame.
#include <gtest/gtest.h>

#include "prepare_events.hpp"
#include "support/caught.hpp"
#include "support/mrd_scan.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;
using test::prepared;
using test::Prepared;

/// Spokes 0..5 dealt to slices 0, 1, 2, 0, 1, 2.
RawScan three_slices() {
  RawScan scan = test::radial_scan(16, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    scan.readouts[i].slice = static_cast<int>(i % 3);
    scan.readouts[i].position = {0, 0, static_cast<float>(10 * (i % 3))};
  }
  scan.encodings[0].slice = {.present = true, .minimum = 0, .maximum = 2, .center = 1};
  return scan;
}

Selection selection(std::string const& text) {
  Selection result;
  parse_selection(text, result);
  return result;
}

TEST(PrepareSelection, ParsesNamesIndicesAndRanges) {
  Selection const s = selection("slice=3,contrast=0..1,slice=5");
  ASSERT_EQ(s.size(), 2U);
  EXPECT_EQ(s.at("slice")[0].first, 3);
  EXPECT_EQ(s.at("slice")[0].last, 3);
  EXPECT_EQ(s.at("slice")[1].first, 5);
  EXPECT_EQ(s.at("contrast")[0].last, 1);
}

TEST(PrepareSelection, RefusesWhatItDoesNotUnderstand) {
  for (char const* text :
       {"slice", "slices=1", "slice=", "slice=a", "slice=-1", "slice=2..1", "slice=1..", "", "slice=1,"}) {
    EXPECT_EQ(caught([&] { selection(text); }).kind, ErrorKind::bad_option) << text;
  }
  EXPECT_TRUE(mentions(caught([] { selection("slices=1"); }), "names are encoding, slice, contrast"));
  EXPECT_TRUE(mentions(caught([] { parse_index_names("slice,bogus"); }), "unknown index \"bogus\""));
  EXPECT_EQ(parse_index_names("slice,set"), (std::set<std::string>{"slice", "set"}));
}

TEST(PrepareFrames, EachSliceIsAFrameWithItsOwnPosition) {
  Prepared const p = prepared(three_slices());
  ASSERT_EQ(p.dataset.frames.size(), 3U);
  for (int slice = 0; slice < 3; ++slice) {
    Frame const& frame = p.dataset.frames[static_cast<std::size_t>(slice)];
    EXPECT_EQ(frame.index.slice, slice);
    EXPECT_EQ(frame.geometry.position_mm[2], 10 * slice);
    EXPECT_EQ(frame.trajectory->size(), 32);
    EXPECT_EQ(frame.samples[0], test::sample_value(slice, 0, 0));
    EXPECT_EQ(frame.samples[32 + 16], test::sample_value(slice + 3, 0, 1));  // coil 1, second spoke
  }
}

TEST(PrepareFrames, EqualTrajectoriesAreShared) {
  RawScan scan = three_slices();
  for (std::size_t i = 0; i < 6; ++i) {  // spokes of slice 1 where those of slice 0 are
    if (scan.readouts[i].slice == 1)
      scan.readouts[i].trajectory_offset = scan.readouts[i - 1].trajectory_offset;
  }
  Prepared const p = prepared(scan);
  EXPECT_EQ(p.dataset.frames[0].trajectory, p.dataset.frames[1].trajectory);
  EXPECT_NE(p.dataset.frames[0].trajectory, p.dataset.frames[2].trajectory);
}

TEST(PrepareFrames, SelectionTakesPartOfThem) {
  Prepared const p = prepared(three_slices(), {.select = selection("slice=1..2")});
  ASSERT_EQ(p.dataset.frames.size(), 2U);
  EXPECT_EQ(p.dataset.frames[0].index.slice, 1);
}

TEST(PrepareFrames, SelectionOfNothingListsWhatIsThere) {
  Error const error = caught([] { prepared(three_slices(), {.select = selection("slice=7")}); });
  EXPECT_EQ(error.kind, ErrorKind::bad_option);
  EXPECT_TRUE(mentions(error, "no readout has the selected slice"));
  EXPECT_TRUE(mentions(error, "there is slice 0..2"));
}

TEST(PrepareFrames, MergingPoolsReadoutsInOrderOfAcquisition) {
  Prepared const p = prepared(three_slices(), {.merge = {"slice"}});
  ASSERT_EQ(p.dataset.frames.size(), 1U);
  EXPECT_EQ(p.dataset.frames[0].trajectory->size(), 96);
  EXPECT_EQ(p.dataset.frames[0].trajectory->samples_per_readout, 16);
  EXPECT_EQ(p.dataset.frames[0].samples[16], test::sample_value(1, 0, 0));
}

TEST(PrepareFrames, IndexBeyondItsLimitsIsRefusedUnlessMerged) {
  RawScan scan = three_slices();
  scan.encodings[0].slice.maximum = 0;
  Error const error = caught([&] { prepared(scan); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "idx.slice 2 outside 0..0"));
  EXPECT_TRUE(mentions(error, "--merge slice"));
  EXPECT_EQ(prepared(scan, {.merge = {"slice"}}).dataset.frames.size(), 1U);
  EXPECT_EQ(prepared(scan, {.select = selection("slice=0")}).dataset.frames.size(), 1U);
}

TEST(PrepareFrames, AveragesArePooledOrKeptApart) {
  RawScan scan = test::radial_scan(16, 6);
  for (std::size_t i = 0; i < 6; ++i) scan.readouts[i].average = static_cast<int>(i / 3);
  EXPECT_EQ(prepared(scan).dataset.frames.at(0).trajectory->size(), 96);
  Prepared const apart = prepared(scan, {.averages = Averages::apart});
  ASSERT_EQ(apart.dataset.frames.size(), 2U);
  EXPECT_EQ(apart.dataset.frames[1].index.average, 1);
}

TEST(PrepareFlags, ReadoutsThatAreNoImageAreDroppedAndCounted) {
  RawScan scan = test::radial_scan(16, 12);
  ReadoutFlag const flags[] = {ReadoutFlag::calibration,
                               ReadoutFlag::navigation,
                               ReadoutFlag::phase_correction,
                               ReadoutFlag::dummy,
                               ReadoutFlag::hp_feedback,
                               ReadoutFlag::rt_feedback,
                               ReadoutFlag::surface_coil_correction};
  for (std::size_t i = 0; i < std::size(flags); ++i)
    scan.readouts[i].flags = static_cast<std::uint64_t>(flags[i]);
  scan.readouts[7].flags = static_cast<std::uint64_t>(ReadoutFlag::calibration_and_imaging);
  scan.data[static_cast<std::size_t>(scan.readouts[1].data_offset)] =
      NAN;  // what is dropped is not looked at
  Prepared const p = prepared(scan);
  EXPECT_EQ(p.dataset.frames.at(0).trajectory->size(), 5 * 16);
  EXPECT_TRUE(
      p.noted("1 navigation, 1 phase correction, 1 surface coil correction, 1 dummy, 1 feedback, "
              "1 real-time feedback, 1 calibration only"));
}

TEST(PrepareFlags, NothingLeftIsRefused) {
  RawScan scan = test::radial_scan(16, 6);
  for (RawReadout& r : scan.readouts) r.flags = static_cast<std::uint64_t>(ReadoutFlag::dummy);
  Error const error = caught([&] { prepared(scan); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "none of 6 readouts is left for the image (0 noise, 6 dummy)"));
}

TEST(PrepareFlags, NoiseIsScaledToTheImagesBandwidth) {
  RawScan scan = test::radial_scan(16, 6);
  RawReadout noise = test::readout_of(10, 2);
  noise.flags = static_cast<std::uint64_t>(ReadoutFlag::noise);
  noise.dwell_us = 16;  // four times the image's: a quarter of its bandwidth, half its standard deviation
  test::append_readout(scan, noise);
  Prepared const p = prepared(scan);
  EXPECT_EQ(p.dataset.noise.shape(), sample_shape(2, 10));
  EXPECT_EQ(p.dataset.noise[13], 2.0F * test::sample_value(6, 3, 1));
  EXPECT_EQ(p.dataset.frames.at(0).trajectory->size(), 96);
}

TEST(PrepareFlags, NoiseOfOtherCoilsIsLeftOut) {
  RawScan scan = test::radial_scan(16, 6);
  RawReadout noise = test::readout_of(10, 3);
  noise.flags = static_cast<std::uint64_t>(ReadoutFlag::noise);
  test::append_readout(scan, noise);
  Prepared const p = prepared(scan);
  EXPECT_TRUE(p.dataset.noise.empty());
  EXPECT_TRUE(p.warned("1 noise readouts have other coils"));
}

TEST(PrepareCoils, AreTakenAsAsked) {
  Prepared const p = prepared(test::radial_scan(16, 6, 3), {.coils = {2, 0}});
  EXPECT_EQ(p.dataset.coils, 2);
  EXPECT_EQ(p.dataset.frames[0].samples[0], test::sample_value(0, 0, 2));
  EXPECT_EQ(p.dataset.frames[0].samples[96], test::sample_value(0, 0, 0));
  EXPECT_TRUE(mentions(caught([] { prepared(test::radial_scan(), {.coils = {2}}); }), "there is no coil 2"));
  EXPECT_TRUE(mentions(caught([] { prepared(test::radial_scan(), {.coils = {1, 1}}); }), "twice"));
}

TEST(PrepareEncodings, ThatAreAlikeBecomeFrames) {
  RawScan scan = test::radial_scan(16, 6);
  scan.encodings.push_back(scan.encodings[0]);
  for (std::size_t i = 3; i < 6; ++i) scan.readouts[i].encoding = 1;
  Prepared const p = prepared(scan);
  ASSERT_EQ(p.dataset.frames.size(), 2U);
  EXPECT_EQ(p.dataset.frames[1].index.encoding, 1);
}

TEST(PrepareEncodings, ThatDifferAreAskedFor) {
  RawScan scan = test::radial_scan(16, 6);
  scan.encodings.push_back(test::encoding_of("radial", 32));
  scan.readouts[5].encoding = 1;
  Error const error = caught([&] { prepared(scan); });
  EXPECT_TRUE(mentions(error, "encodings 0 and 1 differ in matrix or FOV"));
  EXPECT_TRUE(mentions(error, "--select encoding=0"));
  EXPECT_EQ(prepared(scan, {.select = selection("encoding=0")}).dataset.frames.at(0).trajectory->size(), 80);
  scan.readouts[5].encoding = 2;
  EXPECT_TRUE(mentions(caught([&] { prepared(scan); }), "readout 5 belongs to encoding 2, the header has 2"));
}

}  // namespace
}  // namespace findrho
