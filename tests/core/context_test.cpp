// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/context.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/caught.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;

TEST(Context, HasTheThreadsThatWereAskedFor) {
  EXPECT_EQ(Context::cpu(3).threads(), 3);
  EXPECT_GE(Context::cpu().threads(), 1);
}

TEST(Context, RefusesThreadCountsOutOfRange) {
  for (int threads : {-1, 4097}) {
    Error const error = caught([&] { Context::cpu(threads); });
    EXPECT_EQ(error.kind, ErrorKind::bad_option);
    EXPECT_TRUE(mentions(error, std::to_string(threads)));
  }
}

TEST(Context, SendsEventsInOrderAndNowhereWithoutASink) {
  Context context = Context::cpu(1);
  context.note("lost");
  std::vector<Event> events;
  context.set_event_sink([&](Event const& event) { events.push_back(event); });
  context.note("why");
  context.warn("doubtful");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].type, Event::Type::note);
  EXPECT_EQ(events[0].text, "why");
  EXPECT_EQ(events[1].type, Event::Type::warning);
}

TEST(Context, StopsOnlyWhenTheFlagIsSet) {
  Context context = Context::cpu(1);
  EXPECT_NO_THROW(context.throw_if_cancelled());
  std::atomic<bool> stop{false};
  context.set_cancel_flag(&stop);
  EXPECT_NO_THROW(context.throw_if_cancelled());
  stop = true;
  EXPECT_TRUE(context.cancelled());
  EXPECT_EQ(caught([&] { context.throw_if_cancelled(); }).kind, ErrorKind::cancelled);
}

TEST(Context, CopiesShareThePool) {
  Context const a = Context::cpu(2);
  Context const b = a;
  EXPECT_EQ(&a.pool(), &b.pool());
}

TEST(Phase, TellsItsBeginItsEndAndItsTime) {
  Context context = Context::cpu(1);
  std::vector<Event> events;
  context.set_event_sink([&](Event const& event) { events.push_back(event); });
  {
    Phase const phase(context, "plan");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].type, Event::Type::phase_begin);
  EXPECT_EQ(events[1].type, Event::Type::phase_end);
  EXPECT_EQ(events[1].text, "plan");
  EXPECT_GE(events[1].seconds, 0.005);
}

}  // namespace
}  // namespace findrho
