// SPDX-License-Identifier: MIT
#include "replay/launch_ranges.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace multipass::replay {
namespace {

std::vector<std::uint64_t> wanted(const std::string& text) {
  const auto ranges = LaunchRanges::parse(text);
  EXPECT_TRUE(ranges) << text << ": " << ranges.message();
  std::vector<std::uint64_t> launches;
  for (std::uint64_t launch = 1; ranges && launch <= 9; ++launch)
    if (ranges->contains(launch)) launches.push_back(launch);
  return launches;
}

using Launches = std::vector<std::uint64_t>;

TEST(LaunchRanges, ReadsEveryFormOfTheOption) {
  EXPECT_EQ(wanted("1"), (Launches{1}));
  EXPECT_EQ(wanted("4-6"), (Launches{4, 5, 6}));
  EXPECT_EQ(wanted("[1-3]"), (Launches{1, 2, 3}));
  EXPECT_EQ(wanted("1,4-6"), (Launches{1, 4, 5, 6}));
  EXPECT_EQ(wanted("[1-2],[7]"), (Launches{1, 2, 7}));
  EXPECT_EQ(wanted(" 2 - 3 , 3-4 "), (Launches{2, 3, 4}));
}

TEST(LaunchRanges, WithoutAnyTextEveryLaunchIsWanted) {
  EXPECT_TRUE(LaunchRanges{}.contains(1));
  EXPECT_TRUE(LaunchRanges{}.contains(UINT64_MAX));
}

TEST(LaunchRanges, TheLargestNumberIsOne) {
  const auto ranges = LaunchRanges::parse("2-18446744073709551615");
  ASSERT_TRUE(ranges);
  EXPECT_TRUE(ranges->contains(UINT64_MAX));
  EXPECT_FALSE(ranges->contains(1));
}

TEST(LaunchRanges, OrdinalsBeginAtZero) {
  const auto ranges = LaunchRanges::parse("0,2-3", 0);
  ASSERT_TRUE(ranges) << ranges.message();
  EXPECT_TRUE(ranges->contains(0));
  EXPECT_FALSE(ranges->contains(1));
  EXPECT_TRUE(ranges->contains(3));
  EXPECT_EQ(ranges->parts(), (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0}, {2, 3}}));
  EXPECT_EQ(LaunchRanges::parse("x", 0).message(), "column 1: a number from 0 is expected here");
}

TEST(LaunchRanges, AFaultIsNamedWithItsColumn) {
  const auto fault = [](const char* text) { return LaunchRanges::parse(text).message(); };
  EXPECT_EQ(fault(""), "column 1: a number from 1 is expected here");
  EXPECT_EQ(fault("0"), "column 1: a number from 1 is expected here");
  EXPECT_EQ(fault("1,"), "column 3: a number from 1 is expected here");
  EXPECT_EQ(fault("1-"), "column 3: a number from 1 is expected here");
  EXPECT_EQ(fault("[1-3"), "column 5: ']' is expected here");
  EXPECT_EQ(fault("1 3"), "column 3: ',' or the end is expected here");
  EXPECT_EQ(fault("5-3"), "column 4: 5-3 ends before it begins");
  EXPECT_EQ(fault("99999999999999999999"), "column 1: a number from 1 is expected here");
  EXPECT_EQ(fault("-3"), "column 1: a number from 1 is expected here");
}

}  // namespace
}  // namespace multipass::replay
