// SPDX-License-Identifier: MIT
#include "tool/start_up.hpp"

#include <gtest/gtest.h>

namespace multipass::tool {
namespace {

using namespace std::chrono_literals;

TEST(StartUp, TheSentenceHasTheSumThePartsAndTheConfigurations) {
  StartUpCost cost;
  cost.settings = 100us;
  cost.counters = 2940us;
  cost.slots = 250us;
  cost.plan = 12ms;
  cost.journal = 1ms;
  cost.configs_asked = 21;
  EXPECT_EQ(sentence(cost),
            "ready after 16.3 ms: settings 0.1, counters 2.9, slots 0.2, plan 12.0, configurations 0.0, journal 1.0, "
            "services 0.0; configurations asked of the SDK: 21");
}

TEST(StartUp, ALapBeginsWhereTheLastEnded) {
  const auto before = Stopwatch::Clock::now();
  Stopwatch watch;
  const auto first = watch.lap();
  const auto second = watch.lap();
  const auto all = Stopwatch::Clock::now() - before;
  EXPECT_GE(first, 0ns);
  EXPECT_GE(second, 0ns);
  EXPECT_LE(first + second, all);
}

}  // namespace
}  // namespace multipass::tool
