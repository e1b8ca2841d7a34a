// SPDX-License-Identifier: BSD-3-Clause
// Expected digests are the examples of NIST FIPS 180-4 (and of its "million a" test).
#include "findrho/core/sha256.hpp"

#include <gtest/gtest.h>

#include "support/caught.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

TEST(Sha256, AgreesWithThePublishedExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, OfAFileLongerThanOneBlockIsThatOfItsBytes) {
  test::TempFolder const folder;
  std::string const million(1000000, 'a'), three_million(3000000, 'a');
  test::write_bytes(folder / "a", million);
  test::write_bytes(folder / "b", three_million);
  EXPECT_EQ(sha256_file(folder / "a"), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_file(folder / "b"), sha256(three_million));
}

TEST(Sha256, OfAMissingFileNamesThePath) {
  Error const error = test::caught([] { sha256_file("/no/such/scan.h5"); });
  EXPECT_EQ(error.kind, ErrorKind::bad_file);
  EXPECT_TRUE(test::mentions(error, "/no/such/scan.h5"));
}

TEST(Sha256, OfAFolderIsRefused) {
  test::TempFolder const folder;
  EXPECT_EQ(test::caught([&] { sha256_file(folder.path()); }).kind, ErrorKind::bad_file);
}

}  // namespace
}  // namespace findrho
