// SPDX-License-Identifier: BSD-3-Clause
// The pool is what every kernel relies on; these run under ThreadSanitizer too (preset tsan).
#include "findrho/core/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace findrho {
namespace {

class ThreadPoolOf : public testing::TestWithParam<int> {};

TEST_P(ThreadPoolOf, RunsEveryTaskOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  for (std::int64_t tasks : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
    pool.each(tasks, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
    for (std::atomic<int> const& n : runs) EXPECT_EQ(n, 1);
  }
}

TEST_P(ThreadPoolOf, MakesPlainWritesOfTasksVisibleAfterTheLoop) {
  ThreadPool pool(GetParam());
  std::vector<int> values(64);  // not atomic: a missing synchronisation shows under ThreadSanitizer
  for (int loop = 1; loop <= 2000; ++loop) {
    pool.each(64, [&](std::int64_t i) { values[static_cast<std::size_t>(i)] += static_cast<int>(i); });
    ASSERT_EQ(std::accumulate(values.begin(), values.end(), 0), loop * 64 * 63 / 2);
  }
}

TEST_P(ThreadPoolOf, RethrowsATasksExceptionAndStaysUsable) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(pool.each(100,
                           [](std::int64_t i) {
                             if (i == 17) throw std::runtime_error("task 17");
                           }),
                 std::runtime_error);
    std::atomic<int> runs{0};
    pool.each(100, [&](std::int64_t) { ++runs; });
    ASSERT_EQ(runs, 100);
  }
}

TEST_P(ThreadPoolOf, RethrowsOneExceptionWhenEveryTaskThrows) {
  ThreadPool pool(GetParam());
  EXPECT_THROW(pool.each(100, [](std::int64_t) { throw std::logic_error("all"); }), std::logic_error);
}

TEST_P(ThreadPoolOf, RunsALoopInsideATaskOnThatTasksThread) {
  ThreadPool pool(GetParam());
  std::atomic<int> elsewhere{0}, runs{0};
  pool.each(8, [&](std::int64_t) {
    std::thread::id const mine = std::this_thread::get_id();
    pool.each(8, [&](std::int64_t) {
      ++runs;
      if (std::this_thread::get_id() != mine) ++elsewhere;
    });
  });
  EXPECT_EQ(runs, 64);
  EXPECT_EQ(elsewhere, 0);
}

TEST_P(ThreadPoolOf, PassesOnAnExceptionOfALoopInsideATask) {
  ThreadPool pool(GetParam());
  auto const inner = [](std::int64_t i) {
    if (i == 3) throw std::out_of_range("inner");
  };
  EXPECT_THROW(pool.each(4, [&](std::int64_t) { pool.each(4, inner); }), std::out_of_range);
  std::atomic<int> runs{0};
  pool.each(16, [&](std::int64_t) { ++runs; });
  EXPECT_EQ(runs, 16);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOf, testing::Values(1, 2, 5));

TEST(ThreadPool, UsesItsOtherThreads) {
  ThreadPool pool(4);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<int> waiting{0};
  // Each task waits until all four have started: it ends only if four threads take part.
  pool.each(4, [&](std::int64_t) {
    ++waiting;
    while (waiting < 4) std::this_thread::yield();
    std::lock_guard const lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 4U);
}

TEST(ThreadPool, WakesWorkersThatWentToSleepBetweenLoops) {
  ThreadPool pool(3);
  for (int loop = 0; loop < 20; ++loop) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(2));  // longer than the workers look around before sleeping
    std::atomic<int> waiting{0};
    pool.each(3, [&](std::int64_t) {
      ++waiting;
      while (waiting < 3) std::this_thread::yield();
    });
    ASSERT_EQ(waiting, 3);
  }
}

TEST(ThreadPool, EndsWhetherItWorkedOrNot) {
  for (int i = 0; i < 200; ++i) {
    ThreadPool pool(4);
    if (i % 2 == 0) pool.each(4, [](std::int64_t) {});
  }
}

TEST(ThreadPool, TakesOneThreadPerUsableCoreByDefault) {
  ThreadPool pool(0);
  EXPECT_GE(pool.threads(), 1);
  EXPECT_LE(pool.threads(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace findrho
