// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

using multipass::counted;
using multipass::joined;
using multipass::joined_up_to;

TEST(Text, AListHasSeparatorsBetweenItsTextsOnly) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"A"}), "A");
  EXPECT_EQ(joined(std::set<std::string>{"B", "A", "C"}), "A, B, C");
  EXPECT_EQ(joined(std::vector<std::string>{"B", "A"}, ","), "B,A");
}

TEST(Text, AnEmptyTextIsOneOfTheList) {
  EXPECT_EQ(joined(std::vector<std::string>{"", "A", ""}, " "), " A ");
}

TEST(Text, ALongListEndsWithHowManyAreNotInIt) {
  const std::vector<std::string> three{"A", "B", "C"};
  EXPECT_EQ(joined_up_to(three, 3), "A, B, C");
  EXPECT_EQ(joined_up_to(three, 2), "A, B and 1 more");
  EXPECT_EQ(joined_up_to({}, 2), "");
}

TEST(Text, OneOfAThingIsSaidInAnotherWayThanNoneOrMany) {
  EXPECT_EQ(counted(0, "launch", "launches"), "0 launches");
  EXPECT_EQ(counted(1, "launch", "launches"), "1 launch");
  EXPECT_EQ(counted(18'446'744'073'709'551'615U, "launch", "launches"), "18446744073709551615 launches");
}

}  // namespace
