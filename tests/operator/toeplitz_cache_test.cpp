// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "conformance/random.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

namespace fs = std::filesystem;

class ToeplitzCache : public testing::Test {
 protected:
  test::TempFolder const temporary;
  fs::path const folder = temporary / "cache";
  Matrix const matrix{12, 10, 1};
  Trajectory trajectory = laws::random_trajectory(matrix, 50, 1);
  std::vector<double> weights = laws::random_weights(50, 2);
  EncodingOptions options;
  std::vector<std::string> notes;
  Context context = Context::cpu(1);

  void SetUp() override {
    context.set_event_sink([this](Event const& event) { notes.push_back(event.text); });
  }

  std::shared_ptr<ToeplitzKernel<float> const> get(std::int64_t limit_bytes = 1 << 30) {
    notes.clear();
    return cached_toeplitz_kernel<float>(context, trajectory, matrix, weights, options, folder, limit_bytes);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (auto const& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
    return found;
  }
  bool noted(std::string const& part) const {
    for (std::string const& note : notes) {
      if (note.find(part) != std::string::npos) return true;
    }
    return false;
  }
  void expect_fresh_spectrum(ToeplitzKernel<float> const& kernel) {
    ToeplitzKernel<float> const fresh(context, trajectory, matrix, weights, options);
    ASSERT_EQ(kernel.spectrum().size(), fresh.spectrum().size());
    EXPECT_EQ(std::memcmp(kernel.spectrum().data, fresh.spectrum().data,
                          static_cast<std::size_t>(fresh.spectrum().size()) * sizeof(float)),
              0);
  }
};

TEST_F(ToeplitzCache, GivesTheSameBytesASecondTime) {
  expect_fresh_spectrum(*get());
  EXPECT_FALSE(noted("read from"));
  expect_fresh_spectrum(*get());
  EXPECT_TRUE(noted("read from"));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(ToeplitzCache, KeyHoldsEverythingThatTheSpectrumDependsOn) {
  get();
  std::vector<std::function<void()>> const changes = {
      [&] { trajectory.kx[3] += 1e-9; },
      [&] { trajectory.ky[49] += 1e-9; },
      [&] { weights[7] *= 1.0001; },
      [&] { weights.clear(); },
      [&] { options.nufft.accuracy = 1e-4; },
      [&] { options.nufft.oversampling = 2; },
      [&] { options.nufft.kernel = GriddingKernel::bilinear; },
      [&] { options.transform = TransformKind::exact; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i]();
    get();
    EXPECT_FALSE(noted("read from")) << "change " << i;
    EXPECT_EQ(files().size(), i + 2);
  }
  cached_toeplitz_kernel<double>(context, trajectory, matrix, weights, options, folder);
  cached_toeplitz_kernel<float>(context, trajectory, {10, 12, 1}, weights, options, folder);
  EXPECT_EQ(files().size(), changes.size() + 3);
}

TEST_F(ToeplitzCache, RebuildsDamagedEntries) {
  get();
  fs::path const file = files().at(0);
  auto const size = fs::file_size(file);
  std::vector<std::function<void()>> const damages = {
      [&] { fs::resize_file(file, size / 2); },
      [&] { fs::resize_file(file, 0); },
      [&] { fs::resize_file(file, size + 1); },
      [&] {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(size) - 5);
        stream.put('\x55');
      },
      [&] { std::ofstream(file) << "not a spectrum"; },
  };
  for (auto const& damage : damages) {
    damage();
    expect_fresh_spectrum(*get());
    EXPECT_TRUE(noted("damaged"));
    EXPECT_EQ(fs::file_size(file), size);
  }
}

TEST_F(ToeplitzCache, StaysBelowItsLimitDroppingTheOldestUse) {
  get();
  fs::path const first = files().at(0);
  auto const entry = static_cast<std::int64_t>(fs::file_size(first));
  std::int64_t const limit = 2 * entry + entry / 2;
  auto const age = [](fs::path const& file, int hours) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  double const original = weights[0];
  weights[0] = 5;
  get(limit);
  fs::path second;
  for (fs::path const& file : files()) {
    if (file != first) second = file;
  }
  age(first, 3);
  age(second, 2);
  weights[0] = original;
  get(limit);  // now the first was used last
  ASSERT_TRUE(noted("read from"));
  weights[0] = 6;
  get(limit);
  EXPECT_EQ(files().size(), 2u);
  EXPECT_TRUE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second));
}

TEST_F(ToeplitzCache, KeepsNothingThatIsLargerThanTheLimit) {
  expect_fresh_spectrum(*get(100));
  EXPECT_TRUE(noted("not kept"));
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(ToeplitzCache, OnlyNotesAFolderThatCannotBeWritten) {
  std::ofstream(folder) << "a file where the folder should be";
  expect_fresh_spectrum(*get());
  EXPECT_TRUE(noted("not kept"));
}

TEST_F(ToeplitzCache, RemovesWhatDeadWritersLeft) {
  fs::create_directories(folder);
  fs::path const left = folder / "abc.findrho-q.Xyz123", recent = folder / "abc.findrho-q.Xyz124",
                 foreign = folder / "other.txt";
  for (fs::path const& file : {left, recent, foreign}) std::ofstream(file) << "half";
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  get();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(recent));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(ToeplitzCache, IsSharedByProcesses) {
  // Each process asks again and again, while they also take the entry away from each other. Gone is not damaged: an
  // entry that was removed between looking for it and opening it was once reported so.
  auto const work = [this](int self) {
    ToeplitzKernel<float> const fresh(context, trajectory, matrix, weights, options);
    bool good = true;
    for (int round = 0; round < 60; ++round) {
      auto const kernel = get();
      good = good && !noted("damaged") &&
             std::equal(fresh.spectrum().begin(), fresh.spectrum().end(), kernel->spectrum().begin());
      std::error_code ignored;
      if (round % 2 == self % 2) fs::remove_all(folder, ignored);
    }
    return good;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        ::_exit(work(i) ? 0 : 1);
      } catch (...) {
        ::_exit(2);
      }
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

}  // namespace
}  // namespace findrho
