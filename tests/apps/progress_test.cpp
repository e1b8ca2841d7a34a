// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace findrho {
namespace {

using Type = Event::Type;

/// What the events look like on a stream.
std::string shown(ProgressStyle style, Verbosity verbosity, std::vector<Event> const& events) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  Progress progress(style, verbosity, stream);
  for (Event const& event : events) progress.show(event);
  std::fclose(stream);
  std::unique_ptr<char, void (*)(void*)> const owner(text, std::free);
  return std::string(text, size);
}

std::vector<Event> solve(std::int64_t iterations) {
  std::vector<Event> events{{.type = Type::phase_begin, .text = "solve"}};
  for (std::int64_t i = 1; i <= iterations; ++i) {
    events.push_back(
        {.type = Type::iteration, .text = "solve", .step = i, .total = iterations, .residual = 0.5});
  }
  events.push_back({.type = Type::phase_end, .text = "solve", .seconds = 2.5});
  return events;
}

TEST(Progress, PlainShowsTenLinesOfHundredsOfIterations) {
  std::string const text = shown(ProgressStyle::plain, Verbosity::normal, solve(500));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11) << text;  // ten tenths and the end of the phase
  EXPECT_NE(text.find("solve 500/500   residual 5.00e-01\n"), std::string::npos) << text;
  EXPECT_NE(text.find("500 iterations, residual 5.00e-01\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos) << "control characters in a log";
}

TEST(Progress, TerminalLeavesOneLineForAPhase) {
  std::string const text = shown(ProgressStyle::terminal, Verbosity::normal, solve(500));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find("\r\033[K"), std::string::npos) << "the line is not redrawn";
  EXPECT_NE(text.find("ETA"), std::string::npos);
}

TEST(Progress, ASecondSolveOfAPhaseIsNotChargedWithTheFirst) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  Progress progress(ProgressStyle::plain, Verbosity::normal, stream);
  progress.show({.type = Type::phase_begin, .text = "both"});
  std::this_thread::sleep_for(std::chrono::seconds(1));
  progress.show({.type = Type::iteration, .text = "solve", .step = 10, .total = 10});
  progress.show({.type = Type::iteration, .text = "solve", .step = 1, .total = 10});
  std::fclose(stream);
  std::string const shown(text, size);
  std::free(text);
  // The first solve's second would be foreseen for each of nine steps; the second solve's first step takes microseconds.
  EXPECT_NE(shown.find("solve 1/10   residual 0.00e+00   ETA "), std::string::npos) << shown;
  EXPECT_NE(shown.find(" ms\n"), std::string::npos) << shown;
}

TEST(Progress, QuietStillWarns) {
  std::vector<Event> events = solve(3);
  events.push_back({.type = Type::note, .text = "a choice"});
  events.push_back({.type = Type::warning, .text = "a doubt"});
  EXPECT_EQ(shown(ProgressStyle::plain, Verbosity::quiet, events), "warning: a doubt\n");
  EXPECT_EQ(shown(ProgressStyle::terminal, Verbosity::quiet, events), "warning: a doubt\n");
}

TEST(Progress, JsonIsOneObjectPerEvent) {
  std::string const text =
      shown(ProgressStyle::json, Verbosity::normal,
            {{.type = Type::iteration, .text = "solve", .step = 2, .total = 5, .residual = 0.25},
             {.type = Type::note, .text = "a \"quoted\"\nnote \xff"}});
  EXPECT_EQ(text,
            "{\"event\":\"iteration\",\"text\":\"solve\",\"step\":2,\"total\":5,\"residual\":0.25,"
            "\"objective\":0.0}\n"
            "{\"event\":\"note\",\"text\":\"a \\\"quoted\\\"\\nnote \xEF\xBF\xBD\"}\n");
}

TEST(Progress, RecordsPhasesByDepth) {
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  Progress progress(ProgressStyle::plain, Verbosity::quiet, nowhere);
  progress.show({.type = Type::phase_begin, .text = "whole"});
  progress.show({.type = Type::phase_begin, .text = "part"});
  progress.show({.type = Type::iteration, .text = "part", .step = 1, .residual = 0.5, .objective = 7});
  progress.show({.type = Type::phase_end, .text = "part", .seconds = 1});
  progress.show({.type = Type::phase_end, .text = "whole", .seconds = 3});
  RunRecord const& record = progress.record();
  ASSERT_EQ(record.phases.size(), 2u);
  EXPECT_EQ(record.phases[0].name, "part");
  EXPECT_EQ(record.phases[0].depth, 1);
  EXPECT_EQ(record.phases[1].depth, 0);
  ASSERT_EQ(record.iterations.size(), 1u);
  EXPECT_EQ(record.iterations[0].objective, 7);
  std::fclose(nowhere);
}

TEST(Texts, DurationsAndSizesHaveFittingUnits) {
  EXPECT_EQ(duration_text(0.0123), "12 ms");
  EXPECT_EQ(duration_text(0.9999), "1.0 s");
  EXPECT_EQ(duration_text(59.99), "1 min 0 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
  EXPECT_EQ(bytes_text(512), "512 bytes");
  EXPECT_EQ(bytes_text(1.5 * 1024 * 1024), "1.5 MiB");
}

}  // namespace
}  // namespace findrho
