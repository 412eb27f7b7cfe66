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

RegionConfig including(const char* pattern) {
  RegionConfig config;
  config.roctx_include = pattern;
  return config;
}

TEST(UnusedRegions, AreNothingToTellOfWhenTheProgramCameThrough) {
  replay::Regions::Use use;
  use.ranges = 3;
  use.found = 1;
  use.resumes = 1;
  RegionConfig config = including("a");
  config.selected_regions = true;
  EXPECT_TRUE(unused_regions(config, use, "", "").empty());
  EXPECT_TRUE(unused_regions({}, {}, "", "").empty()) << "none were asked for";
}

TEST(UnusedRegions, TellAMistypedPatternFromAProgramWithoutRanges) {
  replay::Regions::Use use;
  use.ranges = 3;
  use.first = "solve";
  const auto mistyped = unused_regions(including("slove"), use, "", "");
  ASSERT_EQ(mistyped.size(), 1U);
  EXPECT_EQ(
      mistyped[0],
      "no launch was collected: roctx-include 'slove' is found in no message of the program's roctx ranges (3, the "
      "first is 'solve')");
  const auto none = unused_regions(including("solve"), {}, "", "");
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].rfind("no launch was collected: the program opened no roctx range; ", 0), 0U) << none[0];
}

TEST(UnusedRegions, DoNotBlameTheProgramForAnSdkThatTracesNoMarkers) {
  RegionConfig config = including("a");
  config.selected_regions = true;
  EXPECT_TRUE(unused_regions(config, {}, "this SDK does not trace them", "this SDK does not trace them").empty());
}

TEST(UnusedRegions, CountHardSearchesAndCallsThatHadNoEffect) {
  replay::Regions::Use use;
  use.hard = 1;
  use.refused = 2;
  const auto texts = unused_regions({}, use, "", "");
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].rfind("roctx-include or roctx-exclude takes too many steps for the messages of 1 range ", 0), 0U);
  EXPECT_EQ(texts[1].rfind("2 calls of roctxProfilerPause", 0), 0U);
}

}  // namespace
}  // namespace multipass::tool
