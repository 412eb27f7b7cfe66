// SPDX-License-Identifier: MIT
#include "apps/export/id_set.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

namespace multipass::apps {
namespace {

TEST(IdSet, KnowsWhatItHas) {
  IdSet ids;
  std::set<std::uint64_t> expected;
  std::minstd_rand random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t id = random() % 500;
    EXPECT_EQ(ids.insert(id), expected.insert(id).second) << id;
  }
}

TEST(IdSet, NumbersInARowTakeOneRange) {
  IdSet ids;
  for (std::uint64_t id = 0; id < 1000; ++id) EXPECT_TRUE(ids.insert(id ^ 1U));  // neighbours swapped
  EXPECT_EQ(ids.ranges(), 1U);
}

TEST(IdSet, TakesTheSmallestAndTheLargestNumber) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  IdSet ids;
  for (const std::uint64_t id : {kMost, std::uint64_t{0}, kMost - 1, std::uint64_t{1}}) {
    EXPECT_TRUE(ids.insert(id));
    EXPECT_FALSE(ids.insert(id));
  }
  EXPECT_EQ(ids.ranges(), 2U);
}

}  // namespace
}  // namespace multipass::apps
