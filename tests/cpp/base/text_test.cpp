// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

using multipass::joined;

TEST(Text, AListHasSeparatorsBetweenItsTextsOnly) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"A"}), "A");
  EXPECT_EQ(joined(std::set<std::string>{"B", "A", "C"}), "A, B, C");
  EXPECT_EQ(joined(std::vector<std::string>{"B", "A"}, ","), "B,A");
}

TEST(Text, AnEmptyTextIsOneOfTheList) {
  EXPECT_EQ(joined(std::vector<std::string>{"", "A", ""}, " "), " A ");
}

}  // namespace
