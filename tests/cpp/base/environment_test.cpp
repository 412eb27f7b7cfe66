// SPDX-License-Identifier: MIT
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace multipass::environment {
namespace {

TEST(Environment, AnEmptyValueIsAValueButNotAFirstChoice) {
  setenv("MULTIPASS_TEST_A", "", 1);
  setenv("MULTIPASS_TEST_B", "b", 1);
  unsetenv("MULTIPASS_TEST_C");
  EXPECT_EQ(get("MULTIPASS_TEST_A"), "");
  EXPECT_EQ(get("MULTIPASS_TEST_C"), std::nullopt);
  EXPECT_EQ(first_of({"MULTIPASS_TEST_C", "MULTIPASS_TEST_A", "MULTIPASS_TEST_B"}), "b");
  EXPECT_EQ(first_of({"MULTIPASS_TEST_C", "MULTIPASS_TEST_A"}), std::nullopt);
}

TEST(Environment, OwnVariablesHaveThePrefix) {
  setenv("ROCPROFSYS_MULTIPASS_TEST_X", "1", 1);
  EXPECT_EQ(get_own("TEST_X"), "1");
}

TEST(Environment, ReadsFlagsInAnyCaseAndNothingElse) {
  for (const char* yes : {"1", "on", "ON", "Yes", "true"}) EXPECT_EQ(to_bool(yes), true) << yes;
  for (const char* no : {"0", "off", "Off", "no", "FALSE"}) EXPECT_EQ(to_bool(no), false) << no;
  for (const char* other : {"", "2", "enable", " 1", "o"}) EXPECT_EQ(to_bool(other), std::nullopt) << other;
}

}  // namespace
}  // namespace multipass::environment
