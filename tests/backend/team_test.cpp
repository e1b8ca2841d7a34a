// SPDX-License-Identifier: BSD-3-Clause
// Team bodies: what the GPU runs, run here with real threads and serially.
#include "findrho/backend/team.hpp"

#include <gtest/gtest.h>

#include "backend/self_test_body.hpp"

namespace findrho {
namespace {

std::vector<float> run(int count, int lanes) {
  std::vector<float> out(static_cast<std::size_t>(count), -1);
  SelfTestBody const body{count, out.data()};
  lanes == 0 ? run_serial(body.blocks(), body) : run_threaded(lanes, body.blocks(), body);
  return out;
}

TEST(Team, SerialGivesTheDefinition) {
  int const count = 2 * SelfTestBody::kLanes + 3;  // a short last block
  auto const out = run(count, 0);
  for (int i = 0; i < count; ++i) {
    int const first = i / SelfTestBody::kLanes * SelfTestBody::kLanes;
    int const here = std::min(SelfTestBody::kLanes, count - first);
    int const mirror = first + here - 1 - (i - first);
    int odd = 0;
    for (int j = 0; j < here; ++j) odd += (first + j) % 1024 % 2;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(i % 1024 + mirror % 1024 + odd)) << i;
  }
}

TEST(Team, ThreadsGiveWhatOneLaneGives) {
  int const count = 2 * SelfTestBody::kLanes + 3;
  auto const expected = run(count, 0);
  for (int lanes : {1, 3, kMostTestLanes}) EXPECT_EQ(run(count, lanes), expected) << lanes << " lanes";
}

}  // namespace
}  // namespace findrho
