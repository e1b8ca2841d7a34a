// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/mrd_read.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "findrho/io/mrd_write.hpp"
#include "support/caught.hpp"
#include "support/mrd_scan.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;

RawScan read(std::string const& path, MrdReadOptions const& options = {}) {
  return read_mrd(Context::cpu(1), path, options);
}

/// Opens a file for changes, hands it to edit, closes it.
void edit_file(std::string const& path, std::function<void(hid_t)> const& edit) {
  hid_t const file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  edit(file);
  H5Fclose(file);
}

/// Overwrites one 16-bit member of every readout header, leaving all else as it is.
void overwrite_header(std::string const& path, char const* member, std::uint16_t value) {
  edit_file(path, [&](hid_t file) {
    hid_t const head = H5Tcreate(H5T_COMPOUND, sizeof value), row = H5Tcreate(H5T_COMPOUND, sizeof value);
    H5Tinsert(head, member, 0, H5T_NATIVE_UINT16);
    H5Tinsert(row, "head", 0, head);
    hid_t const data = H5Dopen2(file, "dataset/data", H5P_DEFAULT);
    hid_t const space = H5Dget_space(data);
    std::vector<std::uint16_t> const values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)),
                                            value);
    ASSERT_GE(H5Dwrite(data, row, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Sclose(space);
    H5Dclose(data);
    H5Tclose(row);
    H5Tclose(head);
  });
}

/// Replaces dataset/xml by a string of fixed length, padded with zeros.
void write_fixed_xml(std::string const& path, std::string xml, H5T_cset_t set) {
  edit_file(path, [&](hid_t file) {
    H5Ldelete(file, "dataset/xml", H5P_DEFAULT);
    hid_t const type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, xml.size() + 10);
    H5Tset_cset(type, set);
    hid_t const dataset = H5Dcreate2(file, "dataset/xml", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    xml.resize(xml.size() + 10, '\0');
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, xml.data());
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
  });
}

struct Mrd : testing::Test {
  test::TempFolder folder;
  std::string const path = folder / "scan.h5";
};

TEST_F(Mrd, ReadsBackWhatWasWritten) {
  RawScan scan = test::radial_scan();
  RawReadout odd = test::readout_of(5, 3);
  odd.flags = static_cast<std::uint64_t>(ReadoutFlag::noise);
  odd.scan_counter = 70000;
  odd.discard_pre = 1;
  odd.discard_post = 2;
  odd.center_sample = 3;
  odd.position = {1, -2, 3};
  odd.kz = 1, odd.average = 2, odd.slice = 3, odd.contrast = 4, odd.phase = 5, odd.repetition = 6,
  odd.set = 7;
  odd.segment = 8;
  test::append_readout(scan, odd);
  scan.field_T = 3;
  scan.resonance_Hz = 123e6;
  scan.receiver_noise_bandwidth = 0.79;
  scan.encodings[0].slice = {.present = true, .minimum = 0, .maximum = 4, .center = 2};
  write_mrd(path, scan);

  RawScan const back = read(path);
  EXPECT_EQ(back.group, "dataset");
  EXPECT_EQ(back.data, scan.data);
  EXPECT_EQ(back.trajectory, scan.trajectory);
  EXPECT_EQ(back.field_T, 3);
  EXPECT_EQ(back.resonance_Hz, 123e6);
  EXPECT_EQ(back.receiver_noise_bandwidth, 0.79);
  ASSERT_EQ(back.encodings.size(), 1U);
  EXPECT_EQ(back.encodings[0].trajectory, "radial");
  EXPECT_EQ(back.encodings[0].encoded.matrix, scan.encodings[0].encoded.matrix);
  EXPECT_EQ(back.encodings[0].recon.fov_mm, scan.encodings[0].recon.fov_mm);
  EXPECT_EQ(back.encodings[0].slice.maximum, 4);
  EXPECT_FALSE(back.encodings[0].contrast.present);
  RawReadout const& last = back.readouts.back();
  EXPECT_TRUE(last.has(ReadoutFlag::noise));
  EXPECT_EQ(last.scan_counter, 70000U);
  EXPECT_EQ(last.channels, 3);
  EXPECT_EQ(last.discard_pre, 1);
  EXPECT_EQ(last.discard_post, 2);
  EXPECT_EQ(last.center_sample, 3);
  EXPECT_EQ(last.position, odd.position);
  EXPECT_EQ(last.dwell_us, 4);
  EXPECT_EQ((std::vector{last.kz, last.average, last.slice, last.contrast, last.phase, last.repetition,
                         last.set, last.segment}),
            (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(Mrd, KeepsTheHeaderVerbatim) {
  RawScan scan = test::radial_scan();
  scan.xml =
      "<?xml version=\"1.0\"?><ns0:ismrmrdHeader xmlns:ns0=\"http://www.ismrm.org/ISMRMRD\"><ns0:encoding>"
      "<ns0:encodedSpace><ns0:matrixSize><ns0:x>16.0</ns0:x><ns0:y>12</ns0:y></ns0:matrixSize></"
      "ns0:encodedSpace>"
      "<ns0:trajectory>Radial</ns0:trajectory></ns0:encoding><ns0:userParameters><ns0:userParameters/>"
      "</ns0:userParameters><unknown a=\"1\"/></ns0:ismrmrdHeader>";
  write_mrd(path, scan);
  RawScan const back = read(path);
  EXPECT_EQ(back.xml, scan.xml);
  ASSERT_EQ(back.encodings.size(), 1U);
  EXPECT_EQ(back.encodings[0].encoded.matrix, (std::array<std::int64_t, 3>{16, 12, 0}));
  EXPECT_FALSE(back.encodings[0].recon.present);
  EXPECT_EQ(back.encodings[0].trajectory, "radial");
}

TEST_F(Mrd, ReadsHeadersOfFixedLengthInAsciiAndUtf8) {
  std::string const xml =
      "<ismrmrdHeader><encoding><trajectory>spiral</trajectory></encoding></ismrmrdHeader>";
  for (H5T_cset_t const set : {H5T_CSET_ASCII, H5T_CSET_UTF8}) {
    write_mrd(path, test::radial_scan());
    write_fixed_xml(path, xml, set);
    RawScan const back = read(path);
    EXPECT_EQ(back.xml, xml);
    EXPECT_EQ(back.encodings.at(0).trajectory, "spiral");
  }
}

TEST_F(Mrd, SeveralThreadsReadOneFile) {
  RawScan const scan = test::radial_scan();
  write_mrd(path, scan);
  std::vector<std::size_t> sizes(4);
  std::vector<std::thread> threads;
  for (std::size_t& size : sizes) threads.emplace_back([&] { size = read(path).data.size(); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t const size : sizes) EXPECT_EQ(size, scan.data.size());
}

TEST_F(Mrd, ReadsAFileThatAnotherProgramHoldsLocked) {
  RawScan const scan = test::radial_scan();
  write_mrd(path, scan);
  int const holder = open(path.c_str(), O_RDONLY);
  ASSERT_EQ(flock(holder, LOCK_EX), 0);
  EXPECT_EQ(read(path).data, scan.data);
  close(holder);
}

TEST_F(Mrd, AsksForTheGroupWhereThereAreSeveral) {
  RawScan scan = test::radial_scan();
  write_mrd(path, scan);
  edit_file(path, [](hid_t file) { H5Ocopy(file, "dataset", file, "second", H5P_DEFAULT, H5P_DEFAULT); });
  Error const error = caught([&] { read(path); });
  EXPECT_EQ(error.kind, ErrorKind::bad_option);
  EXPECT_TRUE(mentions(error, "2 groups hold raw data: dataset, second"));
  EXPECT_TRUE(mentions(error, "--group"));
  EXPECT_EQ(read(path, {.group = "second"}).group, "second");
  EXPECT_EQ(read(path, {.group = "/dataset/"}).group, "dataset");
  EXPECT_TRUE(
      mentions(caught([&] { read(path, {.group = "third"}); }), "groups with raw data are: dataset, second"));
}

TEST_F(Mrd, FindsAnyGroupName) {
  RawScan scan = test::radial_scan();
  scan.group = "a/deep group";
  write_mrd(path, scan);
  EXPECT_EQ(read(path).group, "a/deep group");
}

TEST_F(Mrd, RefusesWhatIsNoHdf5) {
  EXPECT_TRUE(mentions(caught([&] { read(path); }), "no such file"));
  test::write_bytes(path, "not a scan");
  Error const error = caught([&] { read(path); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "not an HDF5 file"));
  EXPECT_TRUE(mentions(caught([&] { read(folder.path()); }), "not a regular file"));
}

TEST_F(Mrd, RefusesATruncatedFile) {
  write_mrd(path, test::radial_scan());
  auto const size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 100);
  Error const error = caught([&] { read(path); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "truncated"));
  EXPECT_TRUE(mentions(error, std::to_string(size - 100) + " bytes"));
}

TEST_F(Mrd, RefusesImages) {
  Array<std::complex<float>> images({{Axis::frame, 1}, {Axis::z, 1}, {Axis::y, 2}, {Axis::x, 2}});
  write_mrd_images(path, images, {MrdImageFrame{}}, ImagePart::magnitude, "<ismrmrdHeader/>");
  Error const error = caught([&] { read(path); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "holds images (dataset/image_0) and not raw data"));
}

TEST_F(Mrd, RefusesAFileWithoutHeader) {
  write_mrd(path, test::radial_scan());
  edit_file(path, [](hid_t file) { H5Ldelete(file, "dataset/xml", H5P_DEFAULT); });
  EXPECT_TRUE(mentions(caught([&] { read(path); }), "dataset/xml is missing"));
}

TEST_F(Mrd, RefusesAHeaderThatIsNoXml) {
  RawScan scan = test::radial_scan();
  scan.xml = "<ismrmrdHeader><encoding>";
  write_mrd(path, scan);
  Error const error = caught([&] { read(path); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "cannot be parsed"));
  scan.xml = "<other/>";
  write_mrd(path, scan);
  EXPECT_TRUE(mentions(caught([&] { read(path); }), "<other>, not <ismrmrdHeader>"));
}

TEST_F(Mrd, RefusesLengthsThatContradictTheHeader) {
  write_mrd(path, test::radial_scan(16, 6, 2));
  overwrite_header(path, "number_of_samples", 17);
  Error const error = caught([&] { read(path); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "readout 0 has 64 data values, its header says 68"));

  write_mrd(path, test::radial_scan(16, 6, 2));
  overwrite_header(path, "trajectory_dimensions", 3);
  EXPECT_TRUE(
      mentions(caught([&] { read(path); }), "readout 0 has 32 trajectory values, its header says 48"));
}

TEST_F(Mrd, RefusesCompressedReadouts) {
  for (int bit = 52; bit < 56; ++bit) {
    RawScan scan = test::radial_scan();
    scan.readouts[2].flags = std::uint64_t{1} << bit;
    write_mrd(path, scan);
    Error const error = caught([&] { read(path); });
    EXPECT_TRUE(mentions(error, "readout 2 is compressed"));
    EXPECT_TRUE(mentions(error, "decompress"));
  }
}

TEST_F(Mrd, RefusesWhatMemoryCannotHoldBeforeTakingIt) {
  // 4000 readouts of 65535 samples x 65535 channels x 8 bytes are 137 TB, more than any machine of today.
  write_mrd(path, test::radial_scan(16, 4000, 1));
  overwrite_header(path, "number_of_samples", 65535);
  overwrite_header(path, "active_channels", 65535);
  Error const error = caught([&] { read(path); });
  EXPECT_EQ(error.kind, ErrorKind::out_of_memory);
  EXPECT_TRUE(mentions(error, "are available"));
}

TEST_F(Mrd, RefusesAFileWithoutReadouts) {
  RawScan scan = test::radial_scan();
  scan.readouts.clear();
  write_mrd(path, scan);
  EXPECT_TRUE(mentions(caught([&] { read(path); }), "there are no readouts"));
}

TEST_F(Mrd, PrintsNothingAndKeepsOthersErrorSettings) {
  H5E_auto2_t before = nullptr, after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  testing::internal::CaptureStderr();
  EXPECT_THROW(read(folder / "absent"), Error);
  test::write_bytes(path, "no");
  EXPECT_THROW(read(path), Error);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  EXPECT_EQ(before, after);
}

std::string data_file(std::string const& name) {
  return std::string(FINDRHO_DATA_DIR) + "/" + name;
}

TEST(MrdMeasured, ReadsUtf8HeadersOfPaddedReadouts) {
  std::string const path = data_file("odd-mrd/Koma_signal.mrd");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the measured scans are not there: " << path;
  RawScan const scan = read(path);
  EXPECT_EQ(scan.readouts.size(), 101U);
  EXPECT_EQ(scan.data.size(), 10201U);
  EXPECT_EQ(scan.encodings.at(0).recon.matrix[0], 102);
  EXPECT_NE(scan.xml.find("\xCE\x94t_rf"), std::string::npos);  // the Greek Delta of a nested user parameter
}

TEST(MrdMeasured, RefusesImageFiles) {
  for (char const* name : {"odd-mrd/b0mapping.h5", "odd-mrd/spiralout_fatsat_pypulseq_3TPrisma.h5"}) {
    std::string const path = data_file(name);
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "the measured scans are not there: " << path;
    Error const error = caught([&] { read(path); });
    EXPECT_EQ(error.kind, ErrorKind::bad_file);
    EXPECT_TRUE(mentions(error, "holds images"));
    EXPECT_TRUE(mentions(error, "not raw data"));
  }
}

}  // namespace
}  // namespace findrho
