// SPDX-License-Identifier: MIT
#include "replay/rotation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace multipass::replay {
namespace {

using Groups = std::vector<std::uint32_t>;

Groups turns(std::uint32_t groups, std::uint64_t count, std::uint64_t from = 0) {
  Groups read;
  for (std::uint64_t turn = from; turn < from + count; ++turn) read.push_back(group_of_turn(turn, groups).value);
  return read;
}

constexpr std::uint32_t kMost = 33;  // groups; real plans have fewer

TEST(Rotation, BeginsWithTheFirstGroupsAsTheDesignHasThem) {
  EXPECT_EQ(turns(1, 3), (Groups{0, 0, 0}));
  EXPECT_EQ(turns(2, 4), (Groups{0, 1, 1, 0}));
  EXPECT_EQ(turns(3, 9), (Groups{0, 1, 2, 0, 2, 1, 2, 0, 1}));
  EXPECT_EQ(turns(4, 8), (Groups{0, 1, 3, 2, 1, 2, 0, 3}));
}

TEST(Rotation, EachCycleReadsEachGroupOnce) {
  for (std::uint32_t groups = 1; groups <= kMost; ++groups)
    for (std::uint64_t cycle = 0; cycle < 2 * groups; ++cycle) {
      Groups read = turns(groups, groups, cycle * groups);
      std::sort(read.begin(), read.end());
      Groups each(groups);
      std::iota(each.begin(), each.end(), 0U);
      EXPECT_EQ(read, each) << groups << " groups, cycle " << cycle;
    }
}

TEST(Rotation, EachOrderedPairIsNeighboursInACycleEquallyOften) {
  for (std::uint32_t groups = 2; groups <= kMost; ++groups) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> met;
    for (std::uint64_t cycle = 0; cycle < turns_of(groups) / groups; ++cycle) {
      const Groups read = turns(groups, groups, cycle * groups);
      for (std::size_t at = 1; at < read.size(); ++at) ++met[{read[at - 1], read[at]}];
    }
    EXPECT_EQ(met.size(), std::size_t{groups} * (groups - 1)) << groups;
    for (const auto& [pair, count] : met)
      EXPECT_EQ(count, groups % 2 == 0 ? 1 : 2) << groups << " groups: " << pair.first << " then " << pair.second;
  }
}

TEST(Rotation, BeginsAnewAfterItsTurns) {
  for (std::uint32_t groups = 1; groups <= kMost; ++groups)
    EXPECT_EQ(turns(groups, groups, turns_of(groups)), turns(groups, groups)) << groups;
}

TEST(Rotation, SixtyLaunchesOfSixGroupsReadEachTenTimes) {
  const Groups read = turns(6, 60);
  for (std::uint32_t group = 0; group < 6; ++group) EXPECT_EQ(std::count(read.begin(), read.end(), group), 10);
}

TEST(Rotation, AtAnyTimeNoGroupWasReadMoreThanOnceMoreThanAnother) {
  for (const std::uint32_t groups : {2U, 3U, 6U, 7U}) {
    Groups read(groups);
    for (std::uint64_t turn = 0; turn < turns_of(groups); ++turn) {
      ++read[group_of_turn(turn, groups).value];
      const auto [low, high] = std::minmax_element(read.begin(), read.end());
      ASSERT_LE(*high - *low, 1U) << groups << " groups, turn " << turn;
    }
  }
}

}  // namespace
}  // namespace multipass::replay
