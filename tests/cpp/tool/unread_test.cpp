// SPDX-License-Identifier: MIT
#include "tool/unread.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace multipass::tool {
namespace {

const std::string kHead = "GPU 1 (gfx942): not every group of counters was read, what is missing is absent: ";

AgentInfo second_gpu() {
  AgentInfo gpu;
  gpu.device = 1;
  gpu.name = "gfx942";
  return gpu;
}

TEST(UnreadGroups, AreNothingToTellOfWhenThereIsNoGap) {
  EXPECT_TRUE(unread_groups(second_gpu(), {}).empty());
}

TEST(UnreadGroups, NameFiveKernelsAndCountTheOthers) {
  EXPECT_EQ(unread_groups(second_gpu(), {{"a", "b", "c", "d", "e"}, 0}), std::vector{kHead + "a; b; c; d; e"});
  EXPECT_EQ(unread_groups(second_gpu(), {{"a", "b", "c", "d", "e", "f"}, 0}),
            std::vector{kHead + "a; b; c; d; e; and 1 more kernel"});
}

TEST(UnreadGroups, TellOfLaunchesThatWereNotFollowedHoweverManyKernelsThereAre) {
  EXPECT_EQ(unread_groups(second_gpu(), {{"a", "b", "c", "d", "e"}, 1}),
            std::vector{kHead + "a; b; c; d; e; 1 launch of further shapes was not followed"});
  EXPECT_EQ(unread_groups(second_gpu(), {{"a", "b", "c", "d", "e", "f", "g"}, 20}),
            std::vector{kHead + "a; b; c; d; e; and 2 more kernels; 20 launches of further shapes were not followed"});
  EXPECT_EQ(unread_groups(second_gpu(), {{}, 2}),
            std::vector{kHead + "2 launches of further shapes were not followed"});
}

}  // namespace
}  // namespace multipass::tool
