// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/memory.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/temp_folder.hpp"

namespace findrho {
namespace {

using test::TempFolder;
using test::write_bytes;

constexpr std::int64_t kMiB = 1 << 20;

TEST(PeakMemory, HoldsWhatWasTouchedAndDoesNotShrink) {
  std::int64_t during = 0;
  {
    std::vector<char> const block(std::size_t{64} * kMiB, 1);
    during = peak_memory_bytes();
  }
  // The kernel counts pages per thread and adds them up late, in batches of 64 pages a core: less than 1 MiB
  // here.
  EXPECT_GE(during, 63 * kMiB);
  EXPECT_LT(during, std::int64_t{64} * 1024 * kMiB) << "bytes, not kilobytes";
  EXPECT_GE(peak_memory_bytes(), during - kMiB);
}

TEST(AvailableMemory, OfThisMachineIsPlausible) {
  EXPECT_GT(available_memory_bytes(), kMiB);
  EXPECT_LT(available_memory_bytes(), std::numeric_limits<std::int64_t>::max());
}

// A proc and a sys tree of our own, 1000 MiB available.
struct AvailableMemoryIn : testing::Test {
  AvailableMemoryIn() {
    write_bytes(folder / "proc/meminfo", "MemTotal: 2048000 kB\nMemAvailable: 1024000 kB\n");
  }
  void in_group(std::string const& line) { write_bytes(folder / "proc/self/cgroup", line + "\n"); }
  void group_file(std::string const& name, std::string const& text) {
    write_bytes(folder / ("sys/fs/cgroup/" + name), text + "\n");
  }
  std::int64_t available_mib() { return available_memory_bytes(folder / "") / kMiB; }
  static std::string mib(std::int64_t n) { return std::to_string(n * kMiB); }
  TempFolder folder;
};

TEST_F(AvailableMemoryIn, NoGroupIsWhatTheKernelSays) {
  EXPECT_EQ(available_mib(), 1000);
}

TEST_F(AvailableMemoryIn, AGroupIsWhatIsLeftOfItsLimitWithDroppableCache) {
  in_group("0::/job/step");
  group_file("job/step/memory.max", mib(300));
  group_file("job/step/memory.current", mib(200));
  EXPECT_EQ(available_mib(), 100);
  group_file("job/step/memory.stat", "anon 7\ninactive_file " + mib(50));
  EXPECT_EQ(available_mib(), 150);
}

TEST_F(AvailableMemoryIn, AGroupAboveCountsToo) {
  in_group("0::/job/step");
  group_file("job/step/memory.max", "max");
  group_file("job/step/memory.current", mib(200));
  group_file("job/memory.max", mib(500));
  group_file("job/memory.current", mib(420));
  EXPECT_EQ(available_mib(), 80);
}

TEST_F(AvailableMemoryIn, AContainerIsLimitedByTheGroupMountedAtTheRoot) {
  in_group("0::/path/that/only/the/host/sees");
  group_file("memory.max", mib(64));
  group_file("memory.current", mib(10));
  EXPECT_EQ(available_mib(), 54);
}

TEST_F(AvailableMemoryIn, AVersion1GroupCounts) {
  in_group("4:cpu,memory:/job");
  group_file("memory/job/memory.limit_in_bytes", mib(90));
  group_file("memory/job/memory.usage_in_bytes", mib(20));
  EXPECT_EQ(available_mib(), 70);
}

TEST_F(AvailableMemoryIn, AGroupBeyondItsLimitIsNothing) {
  in_group("0::/");
  group_file("memory.max", mib(90));
  group_file("memory.current", mib(95));
  EXPECT_EQ(available_mib(), 0);
}

TEST(AvailableMemory, IsUnlimitedWhereTheSystemTellsNothing) {
  TempFolder const folder;
  EXPECT_EQ(available_memory_bytes(folder / ""), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace findrho
