// SPDX-License-Identifier: MIT
#include "replay/projection.hpp"

#include <gtest/gtest.h>

#include "allocations.hpp"

namespace multipass::replay {
namespace {

constexpr std::uint64_t kMega = 1'000'000, kGiga = 1'000'000'000;

LaunchShape shape(std::uint32_t grid = 64) {
  return {KernelId{5}, {grid, 1, 1}, {64, 1, 1}};
}

TEST(Projection, BeforeAnythingIsKnownItIsTheBytesAtFourGigabytesASecond) {
  const Projection projection;
  EXPECT_EQ(projection.window_ns(shape(), 8, 173 * kGiga), 346 * kGiga) << "346 s";
  EXPECT_EQ(projection.window_ns(shape(), 8, 0), 0U);
}

TEST(Projection, AddsTheTimeOfTheKernelOnceItIsKnown) {
  Projection projection;
  projection.executed(shape(), 1000);
  EXPECT_EQ(projection.window_ns(shape(), 3, 400), 3 * 1000 + 300U);
  EXPECT_EQ(projection.window_ns(shape(128), 3, 400), 300U) << "of another shape it is not known";
  projection.executed(shape(), 2000);
  EXPECT_EQ(projection.window_ns(shape(), 3, 400), 3 * 1250 + 300U) << "it follows late executions";
}

TEST(Projection, AMeasuredShapeIsScaledByItsFootprintAndItsExecutions) {
  Projection projection;
  projection.executed(shape(), 10 * kMega);
  // 3 x 2 GB in 3 s, and 3 x 10 ms of kernel
  EXPECT_TRUE(projection.measured(shape(), {3 * kGiga + 30 * kMega, 3, 2 * kGiga}));
  EXPECT_EQ(projection.window_ns(shape(), 3, 2 * kGiga), 3 * kGiga + 30 * kMega);
  EXPECT_EQ(projection.window_ns(shape(), 3, 4 * kGiga), 6 * kGiga + 30 * kMega);
  EXPECT_EQ(projection.window_ns(shape(), 6, kGiga), 3 * kGiga + 60 * kMega);
}

TEST(Projection, WhatIsFixedInAWindowIsNotTakenForARate) {
  Projection projection;
  // 90 ms for 3 x 1 MB: taken for a rate, a footprint of 10 GB would take 15 minutes.
  EXPECT_TRUE(projection.measured(shape(), {90 * kMega, 3, kMega}));
  EXPECT_EQ(projection.window_ns(shape(), 3, kMega), 90 * kMega);
  EXPECT_EQ(projection.window_ns(shape(), 1, 0), 90 * kMega) << "nor does it shrink with the bytes";
  EXPECT_EQ(projection.window_ns(shape(), 3, 10 * kGiga), 90 * kMega + (30 * kGiga - 3 * kMega) / 4);
}

TEST(Projection, AShapeWithoutAWindowHasTheRateOfTheAgent) {
  Projection projection;
  EXPECT_TRUE(projection.measured(shape(64), {4 * kGiga, 2, 2 * kGiga}));  // 1 GB/s
  EXPECT_TRUE(projection.measured(shape(128), {kMega, 2, 1000}));
  EXPECT_EQ(projection.window_ns(shape(256), 2, kGiga), 2 * kGiga) << "of the window that moved most";
  EXPECT_FALSE(projection.measured(shape(64), {8 * kGiga, 2, 2 * kGiga})) << "it is not the first";
  EXPECT_EQ(projection.window_ns(shape(256), 2, kGiga), 4 * kGiga) << "of such the latest";
}

TEST(Projection, SaysWhatOneCopyTakesAndWhetherItsRateWasMeasured) {
  Projection projection;
  projection.executed(shape(), kMega);
  EXPECT_EQ(projection.window(shape(), 3, 4 * kGiga).one_copy_ns, 3 * kMega + kGiga);
  EXPECT_TRUE(projection.measured(shape(), {90 * kMega, 3, kMega}));
  EXPECT_TRUE(projection.window(shape(), 3, kGiga).assumed) << "too little was moved";
  EXPECT_FALSE(projection.measured(shape(), {90 * kMega, 1, 2 * kGiga}));
  EXPECT_FALSE(projection.window(shape(), 3, kGiga).assumed);
  EXPECT_FALSE(projection.window(shape(128), 3, kGiga).assumed);
}

TEST(Projection, WhatAShapeIsToMoveBeyondWhatItHasMovedIsAtTheRateOfTheAgent) {
  Projection projection;
  EXPECT_TRUE(projection.measured(shape(64), {90 * kMega, 3, kMega}));
  EXPECT_TRUE(projection.measured(shape(128), {6 * kGiga, 3, 40 * kGiga}));  // 20 GB/s
  EXPECT_EQ(projection.window_ns(shape(64), 3, 60 * kGiga), 90 * kMega + (180 * kGiga - 3 * kMega) / 20);
}

TEST(Projection, AWindowThatTookLessThanItsKernelMovedNothingToSpeakOf) {
  Projection projection;
  projection.executed(shape(), 100);
  EXPECT_TRUE(projection.measured(shape(), {50, 2, 10}));
  EXPECT_EQ(projection.window_ns(shape(), 2, 10), 200U);
}

TEST(Projection, IsBounded) {
  const Projection projection;
  EXPECT_EQ(projection.window_ns(shape(), ~std::uint64_t{0}, ~std::uint64_t{0}), Projection::kLongest);
}

TEST(Projection, FollowsSoManyShapesAndAllocatesForNewOnesOnly) {
  Projection projection;
  for (std::uint32_t grid = 1; grid <= Projection::kMaxShapes; ++grid) projection.executed(shape(grid), 100);
  const std::uint64_t before = allocations_of_this_thread();
  projection.executed(shape(100'000), 100);
  projection.executed(shape(1), 100);
  EXPECT_FALSE(projection.measured(shape(100'000), {500, 2, 0})) << "not followed: never the first";
  EXPECT_EQ(projection.window_ns(shape(100'000), 2, 0), 500U) << "what is known of the agent";
  EXPECT_TRUE(projection.measured(shape(1), {700, 2, 0}));
  EXPECT_EQ(allocations_of_this_thread(), before);
}

}  // namespace
}  // namespace multipass::replay
