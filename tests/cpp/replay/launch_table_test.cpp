// SPDX-License-Identifier: MIT
#include "replay/launch_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <unordered_set>
#include <vector>

#include "allocations.hpp"

namespace multipass::replay {
namespace {

LaunchShape shape(std::uint64_t kernel, std::uint32_t x = 64, std::uint32_t block = 64) {
  return {KernelId{kernel}, {x, 1, 1}, {block, 1, 1}};
}

std::vector<std::uint32_t> turns(LaunchTable& table, const LaunchShape& of, int launches, std::uint32_t groups = 3) {
  std::vector<std::uint32_t> groups_read;
  for (int i = 0; i < launches; ++i) groups_read.push_back(table.next_group(of, groups).value);
  return groups_read;
}

using Turns = std::vector<std::uint32_t>;

TEST(LaunchTable, TheGroupsOfALaunchShapeTakeTurns) {
  LaunchTable table;
  EXPECT_EQ(turns(table, shape(1), 9), (Turns{0, 1, 2, 0, 2, 1, 2, 0, 1})) << "in the order of rotation.hpp";
}

TEST(LaunchTable, EveryKernelGridAndWorkGroupBeginsWithTheFirstGroup) {
  LaunchTable table;
  EXPECT_EQ(turns(table, shape(1), 1), Turns{0});
  EXPECT_EQ(turns(table, shape(2), 1), Turns{0}) << "another kernel";
  EXPECT_EQ(turns(table, shape(1, 128), 1), Turns{0}) << "another grid";
  EXPECT_EQ(turns(table, shape(1, 64, 32), 1), Turns{0}) << "another work-group";
  EXPECT_EQ(turns(table, {KernelId{1}, {1, 64, 1}, {64, 1, 1}}, 1), Turns{0}) << "the same size, another extent";
  EXPECT_EQ(turns(table, shape(1), 1), Turns{1});
}

// Two shapes in alternation with two groups: per kernel, each would read one group for ever.
TEST(LaunchTable, ShapesInAlternationReadAllGroupsEach) {
  LaunchTable table;
  Turns small;
  Turns large;
  for (int i = 0; i < 2; ++i) {
    small.push_back(table.next_group(shape(1, 64), 2).value);
    large.push_back(table.next_group(shape(1, 4096), 2).value);
  }
  EXPECT_EQ(small, (Turns{0, 1}));
  EXPECT_EQ(large, (Turns{0, 1}));
}

TEST(LaunchTable, BeyondItsSizeTheShapesOfAKernelShareOneTurnAndMemoryIsBounded) {
  LaunchTable table;
  for (std::uint32_t i = 0; i < LaunchTable::kMaxShapes; ++i) (void)table.next_group(shape(1, i + 1), 3);
  EXPECT_EQ(table.size(), LaunchTable::kMaxShapes);
  EXPECT_EQ(turns(table, shape(1, 1), 2), (Turns{1, 2})) << "a shape that has an entry keeps it";
  EXPECT_EQ(turns(table, shape(1, 1'000'000), 1), Turns{0});
  EXPECT_EQ(turns(table, shape(1, 1'000'001), 1), Turns{1}) << "shared with the one before";
  EXPECT_EQ(turns(table, shape(2, 1'000'001), 1), Turns{0}) << "another kernel does not share it";
  for (std::uint64_t kernel = 3; kernel < 3 + 2 * LaunchTable::kMaxKernels; ++kernel)
    (void)table.next_group(shape(kernel), 3);
  EXPECT_LE(table.size(), LaunchTable::kMaxShapes + LaunchTable::kMaxKernels + 1);
}

TEST(LaunchTable, AsManyReplaysOfAShapeAreGivenAsTheLimitAllows) {
  LaunchTable table;
  EXPECT_TRUE(table.take_replay(shape(1), 2));
  EXPECT_TRUE(table.take_replay(shape(1), 2));
  EXPECT_FALSE(table.take_replay(shape(1), 2));
  EXPECT_TRUE(table.take_replay(shape(1, 128), 2)) << "another shape";
  table.give_back_replay(shape(1));
  EXPECT_TRUE(table.take_replay(shape(1), 2));
  EXPECT_FALSE(table.take_replay(shape(1), 2));
}

TEST(LaunchTable, OfManyThreadsNoMoreAreGivenAReplayThanTheLimitAllows) {
  LaunchTable table;
  std::atomic<int> given{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        if (table.take_replay(shape(1), 777)) ++given;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(given, 777);
}

TEST(LaunchTable, AKernelIsNeverReplayedOnceThatIsSaid) {
  LaunchTable table;
  EXPECT_FALSE(table.is_never_replayed(KernelId{1}));
  table.never_replay(KernelId{1});
  EXPECT_TRUE(table.is_never_replayed(KernelId{1}));
  EXPECT_FALSE(table.is_never_replayed(KernelId{2}));
}

TEST(LaunchTable, AShapeThatIsKnownCostsNoAllocation) {
  LaunchTable table;
  for (std::uint32_t i = 0; i < 100; ++i) (void)table.next_group(shape(1, i), 3);
  const std::uint64_t before = allocations_of_this_thread();
  for (int round = 0; round < 10; ++round)
    for (std::uint32_t i = 0; i < 100; ++i) (void)table.next_group(shape(1, i), 3);
  EXPECT_EQ(allocations_of_this_thread(), before);
}

TEST(LaunchTable, ThreadsThatLaunchOneShapeShareItsTurnsEvenly) {
  LaunchTable table;
  constexpr int kLaunches = 3000;
  std::array<std::array<int, 3>, 4> read{};
  std::vector<std::thread> threads;
  for (auto& own : read)
    threads.emplace_back([&table, &own] {
      for (int i = 0; i < kLaunches; ++i) ++own[table.next_group(shape(1), 3).value];
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t group = 0; group < 3; ++group) {
    int sum = 0;
    for (const auto& own : read) sum += own[group];
    EXPECT_EQ(sum, 4 * kLaunches / 3);
  }
}

// Grids of real programs differ in few bits; a poor mix would make the table a list.
TEST(LaunchShape, NeighbouringShapesHashApart) {
  std::unordered_set<std::size_t> buckets;
  for (std::uint32_t x = 1; x <= 64; ++x)
    for (std::uint32_t y = 1; y <= 64; ++y)
      buckets.insert(std::hash<LaunchShape>{}({KernelId{1}, {x * 64, y, 1}, {64, 1, 1}}) % 8192);
  EXPECT_GT(buckets.size(), 2500U) << "4096 keys in 8192 buckets: about 3223 by chance";
}

TEST(LaunchTable, AKernelThatWasUnloadedIsForgotten) {
  LaunchTable table;
  table.never_replay(KernelId{1});
  table.never_replay(KernelId{2});
  table.forget(KernelId{1});
  EXPECT_FALSE(table.is_never_replayed(KernelId{1}));
  EXPECT_TRUE(table.is_never_replayed(KernelId{2}));
}

}  // namespace
}  // namespace multipass::replay
