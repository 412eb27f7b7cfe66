// SPDX-License-Identifier: MIT
#include "assemble/coverage.hpp"

#include <gtest/gtest.h>

namespace multipass::assemble {
namespace {

using Groups = std::vector<std::uint32_t>;

// A launch of a kernel that read these groups.
DispatchRecord launch(std::uint64_t kernel, const Groups& groups, std::uint32_t grid = 64) {
  DispatchRecord record;
  record.kernel = KernelId{kernel};
  record.grid = {grid, 1, 1};
  record.workgroup = {64, 1, 1};
  record.outcome = groups.size() > 1 ? Outcome::kReplayed : Outcome::kDeclined;
  for (const std::uint32_t group : groups) {
    PassRecord& pass = record.passes.emplace_back();
    pass.group = GroupIndex{group};
    pass.counters = {CounterIndex{group}};
    pass.values = {1};
  }
  return record;
}

TEST(Coverage, ANumberOfLaunchesBelowThatOfTheGroupsIsAGap) {
  Coverage coverage(3);
  coverage.add(launch(1, {0}));
  EXPECT_EQ(coverage.gaps(), (std::vector<Gap>{{KernelId{1}, {1, 2}, 1, 1}}));
  coverage.add(launch(1, {1}));
  EXPECT_EQ(coverage.gaps(), (std::vector<Gap>{{KernelId{1}, {2}, 1, 2}}));
  coverage.add(launch(1, {2}));
  EXPECT_TRUE(coverage.gaps().empty());
}

TEST(Coverage, AReplayedLaunchHasEveryGroup) {
  Coverage coverage(2);
  coverage.add(launch(1, {0}));
  coverage.add(launch(1, {0, 1}));
  EXPECT_TRUE(coverage.gaps().empty());
}

TEST(Coverage, EveryShapeCountsForItself) {
  Coverage coverage(2);
  coverage.add(launch(1, {0}, 64));
  coverage.add(launch(1, {0}, 128));
  EXPECT_EQ(coverage.gaps(), (std::vector<Gap>{{KernelId{1}, {1}, 2, 2}}));
  coverage.add(launch(1, {1}, 128));
  EXPECT_EQ(coverage.gaps(), (std::vector<Gap>{{KernelId{1}, {1}, 1, 1}}));
}

TEST(Coverage, ShapesThatLackDifferentGroupsLackNoneInCommon) {
  Coverage coverage(2);
  coverage.add(launch(1, {0}, 64));
  coverage.add(launch(1, {1}, 128));
  EXPECT_EQ(coverage.gaps(), (std::vector<Gap>{{KernelId{1}, {}, 2, 2}}));
}

TEST(Coverage, ALaunchWithoutReadingsIsALaunch) {
  Coverage coverage(2);
  coverage.add(launch(1, {}));
  EXPECT_EQ(coverage.gaps(), (std::vector<Gap>{{KernelId{1}, {0, 1}, 1, 1}}));
}

TEST(Coverage, AFilteredDispatchIsNoGap) {
  Coverage coverage(2);
  DispatchRecord filtered = launch(1, {});
  filtered.outcome = Outcome::kFiltered;
  coverage.add(filtered);
  EXPECT_TRUE(coverage.gaps().empty());
}

TEST(Coverage, APlanOfOnePassHasNoGaps) {
  Coverage coverage(1);
  coverage.add(launch(1, {}));
  EXPECT_TRUE(coverage.gaps().empty());
}

TEST(Coverage, ShapesBeyondItsSizeAreCountedAndNotFollowed) {
  Coverage coverage(2);
  for (std::uint32_t i = 0; i < Coverage::kMaxShapes; ++i) coverage.add(launch(1, {0, 1}, i + 1));
  for (int i = 0; i < 5; ++i) coverage.add(launch(2, {0}));
  coverage.add(launch(3, {0, 1}));
  EXPECT_EQ(coverage.unfollowed(), 5U) << "a replayed launch has all groups";
  EXPECT_TRUE(coverage.gaps().empty());
}

}  // namespace
}  // namespace multipass::assemble
