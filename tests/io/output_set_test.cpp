// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/output_set.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>

#include "findrho/io/cfl.hpp"
#include "findrho/io/nifti.hpp"
#include "findrho/io/png.hpp"
#include "support/caught.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;
using test::caught;
using test::mentions;
using test::read_bytes;
using test::write_bytes;

struct Outputs : testing::Test {
  test::TempFolder folder;
  OutputOptions const force{.force = true, .inputs = {}};
};

TEST_F(Outputs, AppearTogetherAtCommit) {
  OutputSet outputs;
  write_text(outputs.stage(folder / "image.nii.gz"), "image");
  write_text(outputs.stage(folder / "image.json"), "sidecar");
  for (std::string const& name : folder.names())
    EXPECT_EQ(name[0], '.') << name << " is visible before the commit";
  outputs.commit();
  EXPECT_EQ(folder.names(), (Names{"image.json", "image.nii.gz"}));
  EXPECT_EQ(read_bytes(folder / "image.nii.gz"), "image");
  EXPECT_EQ(read_bytes(folder / "image.json"), "sidecar");
}

TEST_F(Outputs, StagedNamesKeepTheirExtension) {
  OutputSet outputs;
  std::string const staged = outputs.stage(folder / "image.nii.gz");
  EXPECT_EQ(fs::path(staged).parent_path(), fs::canonical(folder.path()));
  EXPECT_EQ(staged.substr(staged.size() - 13), ".image.nii.gz");
}

TEST_F(Outputs, ThatAreNotCommittedLeaveNothing) {
  {
    OutputSet outputs;
    write_text(outputs.stage(folder / "a"), "x");
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST_F(Outputs, ThatExistAreRefusedWhenStaged) {
  write_bytes(folder / "a", "old");
  OutputSet outputs;
  Error const error = caught([&] { outputs.stage(folder / "a"); });
  EXPECT_EQ(error.kind, ErrorKind::cannot_write);
  EXPECT_TRUE(mentions(error, "a exists already") && mentions(error, "--force"));
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST_F(Outputs, ThatExistAreReplacedByForceAndKeepTheirPermissions) {
  write_bytes(folder / "a", "old");
  chmod((folder / "a").c_str(), 0600);
  OutputSet outputs(force);
  write_text(outputs.stage(folder / "a"), "new");
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  outputs.commit();
  EXPECT_EQ(read_bytes(folder / "a"), "new");
  EXPECT_EQ(folder.names(), Names{"a"});
  struct stat status {};
  ASSERT_EQ(stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(Outputs, ThatAppearMeanwhileAreNotOverwritten) {
  OutputSet outputs;
  write_text(outputs.stage(folder / "a"), "ours");
  write_bytes(folder / "a", "theirs");
  EXPECT_EQ(caught([&] { outputs.commit(); }).kind, ErrorKind::cannot_write);
  EXPECT_EQ(read_bytes(folder / "a"), "theirs");
}

TEST_F(Outputs, ThatAreInputsAreRefusedEvenByForce) {
  write_bytes(folder / "scan.h5", "data");
  fs::create_hard_link(folder / "scan.h5", folder / "hard");
  fs::create_symlink(folder / "scan.h5", folder / "soft");
  fs::create_directory(folder / "sub");
  for (std::string const name : {"scan.h5", "hard", "soft", "sub/../scan.h5"}) {
    OutputSet outputs({.force = true, .inputs = {folder / "scan.h5"}});
    Error const error = caught([&] { outputs.stage(folder / name); });
    EXPECT_EQ(error.kind, ErrorKind::bad_option) << name;
    EXPECT_TRUE(mentions(error, "also an input")) << name;
  }
  EXPECT_EQ(read_bytes(folder / "scan.h5"), "data");
}

TEST_F(Outputs, NamedTwiceAreRefused) {
  OutputSet outputs;
  outputs.stage(folder / "a");
  EXPECT_EQ(caught([&] { outputs.stage(folder / "./a"); }).kind, ErrorKind::bad_option);
}

TEST_F(Outputs, InAFolderThatIsNotThereAreRefusedWhenStaged) {
  OutputSet outputs;
  Error const error = caught([&] { outputs.stage(folder / "none/a"); });
  EXPECT_EQ(error.kind, ErrorKind::cannot_write);
  EXPECT_TRUE(mentions(error, "there is no folder") && mentions(error, "none"));
  EXPECT_EQ(caught([&] { outputs.stage(folder.path()); }).kind, ErrorKind::cannot_write);
  EXPECT_EQ(caught([&] { outputs.stage(folder / ""); }).kind, ErrorKind::cannot_write);
}

TEST_F(Outputs, InAFolderThatMayNotBeWrittenAreRefusedWhenStaged) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::create_directory(folder / "sub");
  fs::permissions(folder / "sub", fs::perms::owner_read | fs::perms::owner_exec);
  OutputSet outputs;
  EXPECT_EQ(caught([&] { outputs.stage(folder / "sub/a"); }).kind, ErrorKind::cannot_write);
}

TEST_F(Outputs, ThatAreDevicesAreRefused) {
  OutputSet outputs(force);
  Error const error = caught([&] { outputs.stage("/dev/null"); });
  EXPECT_EQ(error.kind, ErrorKind::cannot_write);
  EXPECT_TRUE(mentions(error, "not a regular file"));
}

TEST_F(Outputs, ThroughALinkReplaceTheFileThatIsMeant) {
  write_bytes(folder / "data/a", "old");
  fs::create_symlink(folder / "data/a", folder / "a");
  OutputSet outputs(force);
  write_text(outputs.stage(folder / "a"), "new");
  outputs.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "a"));
  EXPECT_EQ(read_bytes(folder / "data/a"), "new");
}

TEST_F(Outputs, AllKeepTheirOldContentsWhenOneRenameFails) {
  write_bytes(folder / "a", "old a");
  write_bytes(folder / "c", "old c");
  {
    OutputSet outputs(force);
    write_text(outputs.stage(folder / "a"), "new a");
    write_text(outputs.stage(folder / "b"), "new b");
    write_text(outputs.stage(folder / "c"), "new c");
    // A folder in the way: the third rename fails after two have been done.
    fs::remove(folder / "c");
    write_bytes(folder / "c/inside", "x");
    EXPECT_EQ(caught([&] { outputs.commit(); }).kind, ErrorKind::cannot_write);
  }
  EXPECT_EQ(read_bytes(folder / "a"), "old a");
  EXPECT_EQ(folder.names(), (Names{"a", "c"})) << "neither b nor anything hidden is left";
}

TEST_F(Outputs, StagedByTwoSetsDoNotMeet) {
  OutputSet one, two;
  std::string const a = one.stage(folder / "a"), b = two.stage(folder / "a");
  EXPECT_NE(a, b);
}

TEST_F(Outputs, DiscardedBySignalHandlerLeaveNothing) {
  OutputSet outputs;
  write_text(outputs.stage(folder / "a"), "x");
  write_text(outputs.stage(folder / "b"), "y");
  EXPECT_TRUE(discard_staged_files());
  EXPECT_EQ(folder.names(), Names{});
}

TEST_F(Outputs, MayBeManyInOneProcess) {
  for (int i = 0; i < 200; ++i) {  // more than the list for signal handlers holds at a time
    OutputSet outputs(force);
    write_text(outputs.stage(folder / "a"), std::to_string(i));
    outputs.commit();
  }
  EXPECT_EQ(read_bytes(folder / "a"), "199");
}

/// As on a full disk: files cannot grow beyond `bytes` while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit const limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  void (*handler_)(int);
};

TEST_F(Outputs, OfEveryWriterLeaveTheOldFileWhenTheDiskIsFull) {
  Array<float> noise(Matrix{64, 64, 4}.shape());
  Array<std::complex<float>> complex_noise(noise.shape());
  GreyImage picture(128, 128);
  std::uint32_t state = 1;  // incompressible: a linear congruential generator
  for (std::int64_t i = 0; i < noise.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    noise[i] = static_cast<float>(state);
    complex_noise[i] = noise[i];
    picture.pixels[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(state >> 24);
  }
  std::map<std::string, std::function<void(std::string const&)>> const writers = {
      {"a.nii", [&](std::string const& path) { write_nifti(path, noise, {}); }},
      {"a.nii.gz", [&](std::string const& path) { write_nifti(path, noise, {}); }},
      {"a.png", [&](std::string const& path) { write_png(path, picture); }},
      {"a.json", [&](std::string const& path) { write_text(path, std::string(20000, 'x')); }},
      {"a.cfl", [&](std::string const& path) {
         write_cfl({folder / "a.hdr", path}, {64, 64, 4}, complex_noise);
       }}};
  for (auto const& [name, write] : writers) {
    write_bytes(folder / name, "old");
    {
      OutputSet outputs(force);
      std::string const staged = outputs.stage(folder / name);
      FileSizeLimit const limit(8192);
      Error const error = caught([&] { write(staged); });
      EXPECT_EQ(error.kind, ErrorKind::cannot_write) << name;
      EXPECT_TRUE(mentions(error, "File too large") && mentions(error, "free space")) << error.what();
    }
    EXPECT_EQ(read_bytes(folder / name), "old");
  }
  EXPECT_EQ(folder.names(), (Names{"a.cfl", "a.hdr", "a.json", "a.nii", "a.nii.gz", "a.png"}));
}

TEST(WriteText, OnAFullDeviceIsAnError) {
  Error const error = caught([] { write_text("/dev/full", "short enough to be buffered"); });
  EXPECT_EQ(error.kind, ErrorKind::cannot_write);
  EXPECT_TRUE(mentions(error, "No space left"));
}

}  // namespace
}  // namespace findrho
