// SPDX-License-Identifier: MIT
#include "tool/ranks.hpp"

#include <gtest/gtest.h>

#include <map>

namespace multipass::tool {
namespace {

RankChoice choice(const std::string& ranks, std::optional<std::uint32_t> rank) {
  const Result<RankChoice> found = choose_rank(ranks, rank);
  EXPECT_TRUE(found) << found.message();
  return found ? *found : RankChoice{};
}

TEST(Ranks, WithoutAListEveryProcessIsWantedInSilence) {
  for (const std::optional<std::uint32_t> rank : {std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{5}}) {
    EXPECT_TRUE(choice("", rank).wanted);
    EXPECT_EQ(choice("", rank).text, "");
  }
}

TEST(Ranks, AListNamesThoseThatAreWanted) {
  const std::map<std::uint32_t, bool> expected{{0, true}, {1, false}, {7, false}, {8, true}, {10, true}, {11, false}};
  for (const auto& [rank, wanted] : expected) EXPECT_EQ(choice("0,8-10", rank).wanted, wanted) << rank;
  EXPECT_EQ(choice("0,8", 8).text, "");
  EXPECT_EQ(choice("0,8", 1).text, "rank 1 is none of ranks 0,8: this process runs unprofiled");
}

TEST(Ranks, AProcessWithoutARankIsWantedAndToldOf) {
  const RankChoice found = choice("3", std::nullopt);
  EXPECT_TRUE(found.wanted);
  EXPECT_EQ(found.text.rfind("ranks 3: this process is profiled, since no variable of a launcher says which rank", 0),
            0U);
}

TEST(Ranks, AListThatIsNoneIsAnError) {
  const Result<RankChoice> found = choose_rank("0;1", 0);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.message().rfind("ranks '0;1': ", 0), 0U) << found.message();
}

}  // namespace
}  // namespace multipass::tool
