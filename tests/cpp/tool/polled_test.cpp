// SPDX-License-Identifier: MIT
#include "tool/polled.hpp"

#include <gtest/gtest.h>

namespace multipass::tool {
namespace {

std::vector<std::string> requests_of(const std::string& list) {
  std::vector<std::string> texts;
  for (const CounterRequest& request : parse_polled(list).requests)
    texts.push_back(std::to_string(request.column) + " " + events::text_of(request));
  return texts;
}

std::vector<std::string> problems_of(const std::string& list) {
  std::vector<std::string> texts;
  for (const events::Problem& problem : parse_polled(list).problems)
    texts.push_back(std::to_string(problem.column) + " " + problem.token + ": " + problem.message +
                    (problem.hint.empty() ? "" : " > " + problem.hint));
  return texts;
}

TEST(Polled, HasCommasAndSemicolonsBetweenNames) {
  EXPECT_EQ(requests_of("A,B;C:device=1,,;"), (std::vector<std::string>{"1 A", "3 B", "5 C:device=1"}));
  EXPECT_EQ(requests_of(" A , B\t"), (std::vector<std::string>{"2 A", "6 B"}));
  EXPECT_TRUE(requests_of(" ,;").empty());
  EXPECT_TRUE(problems_of("A,B;C:device=1").empty());
}

TEST(Polled, TwoNamesWithABlankBetweenThemAreOneThatNobodyHas) {
  EXPECT_EQ(problems_of("X,A B"),
            std::vector<std::string>{"3 A B: rocprof-sys takes it for one name: put commas between names"});
  EXPECT_EQ(requests_of("X,A B"), std::vector<std::string>{"1 X"});
}

TEST(Polled, AnInstanceIsPartOfTheName) {
  EXPECT_EQ(problems_of("TCC_HIT[0]:device=1"),
            std::vector<std::string>{
                "1 TCC_HIT[0]:device=1: rocprof-sys looks for a counter of this very name > TCC_HIT:device=1"});
}

TEST(Polled, ADeviceThatIsNoNumberIsAProblem) {
  EXPECT_TRUE(requests_of("A:device=x").empty());
  EXPECT_EQ(problems_of("A:device=x").size(), 1U);
}

}  // namespace
}  // namespace multipass::tool
