// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/parboil.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "findrho/core/error.hpp"
#include "support/caught.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

std::filesystem::path const kFolder = std::filesystem::path(FINDRHO_DATA_DIR) / "parboil-mri-q";

std::string written(std::string const& path, std::vector<std::int32_t> const& words) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<char const*>(words.data()), static_cast<std::streamsize>(4 * words.size()));
  return path;
}

TEST(Parboil, InputIsTakenInTheOrderOfTheBenchmarksReader) {
  test::TempFolder const folder;
  // one sample, two positions; each number is its own bit pattern
  auto const input =
      read_parboil_input(written(folder / "in.bin", {1, 2, 10, 11, 12, 20, 21, 22, 23, 24, 25, 30, 31}));
  auto const bits = [](float v) {
    std::int32_t word;
    std::copy_n(reinterpret_cast<char const*>(&v), 4, reinterpret_cast<char*>(&word));
    return word;
  };
  EXPECT_EQ(bits(input.kx[0]), 10);
  EXPECT_EQ(bits(input.kz[0]), 12);
  EXPECT_EQ(bits(input.x[1]), 21);
  EXPECT_EQ(bits(input.z[0]), 24);
  EXPECT_EQ(bits(input.phi_re[0]), 30);
  EXPECT_EQ(bits(input.phi_im[0]), 31);
}

TEST(Parboil, FileWhoseCountsDoNotFitIsRefusedWithTheNumbers) {
  test::TempFolder const folder;
  auto const error = test::caught([&] { read_parboil_input(written(folder / "in.bin", {3, 2, 10, 11})); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(test::mentions(error, "92 bytes, and it has 16"));
  EXPECT_EQ(test::caught([&] {
              read_parboil_input(written(folder / "a", {-1, 2}));
            }).kind,
            ErrorKind::bad_file);
  EXPECT_EQ(test::caught([&] { read_parboil_input(written(folder / "b", {1})); }).kind, ErrorKind::bad_file);
  EXPECT_EQ(test::caught([&] { read_parboil_input(folder / "none"); }).kind, ErrorKind::bad_file);
  EXPECT_EQ(test::caught([&] {
              read_parboil_output(written(folder / "c", {2, 0, 0}));
            }).kind,
            ErrorKind::bad_file);
}

TEST(Parboil, NumbersThatAreNotFiniteAreRefused) {
  test::TempFolder const folder;
  auto const error = test::caught([&] { read_parboil_output(written(folder / "q", {1, 0, 0x7f800000})); });
  EXPECT_TRUE(test::mentions(error, "byte 8"));
}

TEST(Parboil, OutputIsReadBackAsWritten) {
  test::TempFolder const folder;
  auto const path = folder / "q.out";
  write_parboil_output(path, {1, 2, 3}, {4, 5, -6});
  auto const q = read_parboil_output(path);
  ASSERT_EQ(q.size(), 3u);
  EXPECT_EQ(q[2], std::complex<float>(3, -6));
  EXPECT_EQ(std::filesystem::file_size(path), 28u);
}

TEST(Parboil, ToleranceIsTheBenchmarks) {
  std::vector<std::complex<float>> const reference{{1000, 0}, {1, 100}};
  EXPECT_TRUE(compare_parboil({{1000, 0.0999f}, {1, 100}}, reference).accepted());   // 1e-4 of 1000
  EXPECT_TRUE(compare_parboil({{1001.9f, 0}, {1, 100.19f}}, reference).accepted());  // 0.2 %
  EXPECT_EQ(compare_parboil({{1002.1f, 0}, {1.11f, 100}}, reference).failed, 2u);
  EXPECT_EQ(test::caught([&] { compare_parboil({{1, 0}}, reference); }).kind, ErrorKind::bad_shape);
}

TEST(Parboil, BenchmarksFilesAreRead) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "there is no " << kFolder;
  auto const small = read_parboil_input((kFolder / "small.bin").string());
  EXPECT_EQ(small.kx.size(), 3072u);
  EXPECT_EQ(small.x.size(), 32768u);
  EXPECT_EQ(read_parboil_output((kFolder / "large.out").string()).size(), 262144u);
}

}  // namespace
}  // namespace findrho
