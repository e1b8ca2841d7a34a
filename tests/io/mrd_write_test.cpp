// SPDX-License-Identifier: BSD-3-Clause
// What we write is opened by the ISMRMRD library, where that is installed.
#include "findrho/io/mrd_write.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/caught.hpp"
#include "support/mrd_scan.hpp"
#include "support/temp_folder.hpp"

#if FINDRHO_HAVE_ISMRMRD
#include <ismrmrd/dataset.h>
#include <ismrmrd/xml.h>
#endif

namespace findrho {
namespace {

struct MrdWrite : testing::Test {
  test::TempFolder folder;
  std::string const path = folder / "out.h5";
};

/// Two frames of 2 x 3 x 4 voxels whose values are all different.
Array<std::complex<float>> two_images() {
  Array<std::complex<float>> images({{Axis::frame, 2}, {Axis::z, 2}, {Axis::y, 3}, {Axis::x, 4}});
  for (std::int64_t i = 0; i < images.size(); ++i)
    images[i] = {static_cast<float>(i), static_cast<float>(-2 * i)};
  return images;
}

std::vector<MrdImageFrame> two_frames() {
  MrdImageFrame first;
  first.geometry.fov_mm = {40, 30, 20};
  first.geometry.position_mm = {1, 2, 3};
  first.geometry.read = {0, 1, 0};
  MrdImageFrame second = first;
  second.index.slice = 4;
  second.index.repetition = 5;
  second.geometry.fov_mm = {0, 0, 0};
  return {first, second};
}

#if FINDRHO_HAVE_ISMRMRD

TEST_F(MrdWrite, RawScanIsReadByTheIsmrmrdLibrary) {
  RawScan const scan = test::radial_scan();
  write_mrd(path, scan);
  ISMRMRD::Dataset dataset(path.c_str(), "dataset", false);
  std::string xml;
  dataset.readHeader(xml);
  ISMRMRD::IsmrmrdHeader header;
  ISMRMRD::deserialize(xml.c_str(), header);
  EXPECT_EQ(header.encoding.at(0).encodedSpace.matrixSize.x, 16);
  EXPECT_EQ(header.encoding.at(0).reconSpace.fieldOfView_mm.x, 200);
  ASSERT_EQ(dataset.getNumberOfAcquisitions(), scan.readouts.size());
  ISMRMRD::Acquisition acquisition;
  dataset.readAcquisition(3, acquisition);
  EXPECT_EQ(acquisition.idx().kspace_encode_step_1, 3);
  EXPECT_EQ(acquisition.active_channels(), 2);
  EXPECT_TRUE(acquisition.isChannelActive(1));
  for (std::uint16_t s = 0; s < 16; ++s) {
    EXPECT_EQ(acquisition.data(s, 1), test::sample_value(3, s, 1));
    EXPECT_EQ(acquisition.traj(1, s),
              scan.trajectory[static_cast<std::size_t>(scan.readouts[3].trajectory_offset + 2 * s + 1)]);
  }
}

TEST_F(MrdWrite, ComplexImagesAreReadByTheIsmrmrdLibrary) {
  Array<std::complex<float>> const images = two_images();
  write_mrd_images(path, images, two_frames(), ImagePart::complex, "");
  ISMRMRD::Dataset dataset(path.c_str(), "dataset", false);
  ASSERT_EQ(dataset.getNumberOfImages("image_0"), 2U);
  ISMRMRD::Image<std::complex<float>> image;
  dataset.readImage("image_0", 1, image);
  EXPECT_EQ(image.getMatrixSizeX(), 4);
  EXPECT_EQ(image.getMatrixSizeZ(), 2);
  EXPECT_EQ(image.getImageType(), ISMRMRD::ISMRMRD_IMTYPE_COMPLEX);
  EXPECT_EQ(image.getSlice(), 4);
  EXPECT_EQ(image.getRepetition(), 5);
  EXPECT_EQ(image.getFieldOfViewX(), 4);  // unknown: voxels of 1 mm
  EXPECT_EQ(image(3, 2, 1), images[24 + 23]);
}

TEST_F(MrdWrite, MagnitudeImagesAreReadByTheIsmrmrdLibrary) {
  Array<std::complex<float>> const images = two_images();
  std::string const xml = "<ismrmrdHeader/>";
  write_mrd_images(path, images, two_frames(), ImagePart::magnitude, xml);
  ISMRMRD::Dataset dataset(path.c_str(), "dataset", false);
  std::string header;
  dataset.readHeader(header);
  EXPECT_EQ(header, xml);
  ISMRMRD::Image<float> image;
  dataset.readImage("image_0", 0, image);
  EXPECT_EQ(image.getImageType(), ISMRMRD::ISMRMRD_IMTYPE_MAGNITUDE);
  EXPECT_EQ(image.getFieldOfViewX(), 40);
  EXPECT_EQ(image.getPositionZ(), 3);
  EXPECT_EQ(image.getReadDirectionY(), 1);
  EXPECT_EQ(image(3, 2, 1), std::abs(images[23]));
}

#else

TEST_F(MrdWrite, IsReadByTheIsmrmrdLibrary) {
  GTEST_SKIP() << "the ISMRMRD library (libismrmrd-dev) was not found when this test was built";
}

#endif

TEST_F(MrdWrite, RefusesReadoutsLongerThanTheFormatHolds) {
  RawScan scan = test::radial_scan();
  scan.readouts[1].samples = 65536;
  Error const error = test::caught([&] { write_mrd(path, scan); });
  EXPECT_EQ(error.kind, ErrorKind::bad_shape);
  EXPECT_TRUE(test::mentions(error, "readout 1: number_of_samples is 65536"));
}

TEST_F(MrdWrite, RefusesReadoutsBeyondTheScansSamples) {
  RawScan scan = test::radial_scan();
  scan.data.resize(scan.data.size() - 1);
  EXPECT_TRUE(test::mentions(test::caught([&] { write_mrd(path, scan); }), "readout 5 reaches beyond"));
}

TEST_F(MrdWrite, RefusesImagesAndHeadersThatDoNotFit) {
  Array<std::complex<float>> const images = two_images();
  Error const error =
      test::caught([&] { write_mrd_images(path, images, {MrdImageFrame{}}, ImagePart::complex, ""); });
  EXPECT_EQ(error.kind, ErrorKind::bad_shape);
}

TEST_F(MrdWrite, SaysWhenTheFolderIsNotThere) {
  Error const error = test::caught([&] { write_mrd(folder / "absent/out.h5", test::radial_scan()); });
  EXPECT_EQ(error.kind, ErrorKind::cannot_write);
}

TEST_F(MrdWrite, SaysWhenTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full on this system";
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "HDF5 1.10 loses 1032 bytes of a file that it cannot close, which is not ours to report";
#endif
  EXPECT_EQ(test::caught([&] { write_mrd("/dev/full", test::radial_scan()); }).kind, ErrorKind::cannot_write);
}

}  // namespace
}  // namespace findrho
