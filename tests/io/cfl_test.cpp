// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/cfl.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "findrho/core/finite.hpp"
#include "support/caught.hpp"
#include "support/shell.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

using Complex = std::complex<float>;
using test::caught;
using test::mentions;
using test::write_bytes;

struct Cfl : testing::Test {
  Array<Complex> ramp(std::int64_t n) {
    Array<Complex> a(Shape{{Axis::other, n}});
    for (std::int64_t i = 0; i < n; ++i) a[i] = {static_cast<float>(i), -0.5F * static_cast<float>(i)};
    return a;
  }
  test::TempFolder folder;
};

TEST_F(Cfl, ComesBackAsWritten) {
  Array<Complex> const a = ramp(24);
  write_cfl(cfl_paths(folder / "a"), {2, 3, 1, 4}, a);
  CflArray const b = read_cfl(folder / "a.cfl");
  EXPECT_EQ(b.dims, (std::vector<std::int64_t>{2, 3, 1, 4}));
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.data.begin(), b.data.end()));
  EXPECT_EQ(b.dim(3), 4);
  EXPECT_EQ(b.dim(9), 1);
}

TEST_F(Cfl, IsFoundUnderAllThreeNames) {
  for (std::string const name : {"a", "a.cfl", "a.hdr"}) {
    EXPECT_EQ(cfl_paths(name).header, "a.hdr");
    EXPECT_EQ(cfl_paths(name).data, "a.cfl");
  }
  EXPECT_EQ(cfl_paths("scan.v2").data, "scan.v2.cfl");
}

TEST_F(Cfl, IsReadByBart) {
  if (!test::succeeds("command -v bart")) GTEST_SKIP() << "BART is not installed (Debian: bart)";
  Array<Complex> const a = ramp(6);
  write_cfl(cfl_paths(folder / "a"), {3, 2}, a);
  // 2 a, computed by BART and read back: exact in binary.
  test::ShellResult const bart = test::shell("bart scale 2 " + folder / "a" + " " + folder / "b");
  ASSERT_EQ(bart.status, 0) << bart.output;
  CflArray const b = read_cfl(folder / "b");
  EXPECT_EQ(b.dims, (std::vector<std::int64_t>{3, 2}));
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(b.data[static_cast<std::size_t>(i)], 2.0F * a[i]);
}

TEST_F(Cfl, HeaderMayHoldFurtherSections) {
  write_bytes(folder / "a.hdr", "# Creator\nBART v0.8\n# Dimensions\n2 1 1 \n# Command\nphantom -x2\n");
  write_bytes(folder / "a.cfl", std::string(16, '\0'));
  EXPECT_EQ(read_cfl(folder / "a").dims, (std::vector<std::int64_t>{2}));
}

TEST_F(Cfl, WithoutHeaderNamesTheMissingFile) {
  write_bytes(folder / "a.cfl", "12345678");
  Error const error = caught([&] { read_cfl(folder / "a"); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(mentions(error, "a.hdr"));
}

TEST_F(Cfl, OfTheWrongSizeIsRefusedWithBothNumbers) {
  write_bytes(folder / "a.hdr", "# Dimensions\n4 5 1\n");
  for (std::size_t bytes : {159U, 161U}) {
    write_bytes(folder / "a.cfl", std::string(bytes, '\0'));
    Error const error = caught([&] { read_cfl(folder / "a"); });
    EXPECT_EQ(error.kind, ErrorKind::bad_file);
    EXPECT_TRUE(mentions(error, std::to_string(bytes)) && mentions(error, "160") &&
                mentions(error, "4 x 5 x 1"));
  }
}

TEST_F(Cfl, WithSenselessDimensionsIsRefused) {
  write_bytes(folder / "a.cfl", "12345678");
  for (std::string const dims :
       {"", "0 4", "-1 -1", "2 x", "99999999999 99999999999 3", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"}) {
    write_bytes(folder / "a.hdr", "# Dimensions\n" + dims + "\n");
    EXPECT_EQ(caught([&] { read_cfl(folder / "a"); }).kind, ErrorKind::bad_file) << dims;
  }
}

TEST_F(Cfl, PassesOnWhatIsNotFinite) {
  Array<Complex> a = ramp(4);
  a[2] = {0, std::numeric_limits<float>::quiet_NaN()};
  write_cfl(cfl_paths(folder / "a"), {4}, a);
  CflArray const b = read_cfl(folder / "a");
  EXPECT_EQ(first_non_finite(View<Complex const>(b.data.data(), a.shape())), 2);
}

TEST_F(Cfl, DimensionsThatDoNotFitTheDataAreNotWritten) {
  Array<Complex> const a = ramp(6);
  EXPECT_EQ(caught([&] { write_cfl(cfl_paths(folder / "a"), {3, 3}, a); }).kind, ErrorKind::bad_shape);
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(Cfl, MeasuredScanIsRead) {
  std::string const name = std::string(FINDRHO_DATA_DIR) + "/heart-radial/heart_ksp";
  if (!std::filesystem::exists(name + ".cfl"))
    GTEST_SKIP() << "the measured scans are not in " << FINDRHO_DATA_DIR;
  EXPECT_EQ(read_cfl(name).dims, (std::vector<std::int64_t>{1, 256, 25, 12}));
}

TEST_F(Cfl, LargerThanTheMemoryIsRefusedBeforeItIsRead) {
  std::int64_t const mebi = 1 << 20;
  write_bytes(folder / "a.hdr", "# Dimensions\n1048576 1048576\n");
  write_bytes(folder / "a.cfl", "");
  std::error_code too_large;
  std::filesystem::resize_file(folder / "a.cfl", static_cast<std::uintmax_t>(8 * mebi * mebi),
                               too_large);  // all hole
  if (too_large) GTEST_SKIP() << "this file system holds no file of 8 TiB";
  Error const error = caught([&] { read_cfl(folder / "a"); });
  EXPECT_EQ(error.kind, ErrorKind::out_of_memory);
  EXPECT_TRUE(mentions(error, "reading it takes 8192.00 GiB"));
}

}  // namespace
}  // namespace findrho
