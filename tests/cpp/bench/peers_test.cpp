// SPDX-License-Identifier: MIT
// The peers that planner_bench compares with do what is said of them, on cases worked out by hand.
#include "peers.hpp"

#include <gtest/gtest.h>

#include "planner/fixture.hpp"

namespace multipass::bench {
namespace {

using planner::testing::catalogue_of;

TEST(Peers, FirstFitReturnsToAnOlderPassAndNextFitDoesNot) {
  const AgentCatalogue catalogue = catalogue_of(
      "x", {{"P", 1}, {"Q", 1}}, {{"A", {"P:A"}}, {"B", {"P:B"}}, {"C", {"Q:C"}}, {"D", {"P:D"}}, {"E", {"Q:E"}}});
  const std::vector<Counters> items{{"A"}, {"B"}, {"C"}, {"D"}, {"E"}};
  EXPECT_EQ(first_fit(catalogue, items, Rule::kRegisters), (std::vector<Counters>{{"A", "C"}, {"B", "E"}, {"D"}}));
  EXPECT_EQ(next_fit(catalogue, items, Rule::kRegisters), (std::vector<Counters>{{"A"}, {"B", "C"}, {"D", "E"}}));
}

TEST(Peers, ARegisterOfSeveralCountersIsProgrammedOnce) {
  const AgentCatalogue catalogue =
      catalogue_of("x", {{"P", 2}}, {{"A", {"P:1", "P:2"}}, {"B", {"P:2", "P:1"}}, {"C", {"P:3"}}});
  EXPECT_EQ(first_fit(catalogue, {{"A"}, {"B"}, {"C"}}, Rule::kSdk), (std::vector<Counters>{{"A", "B"}, {"C"}}));
}

TEST(Peers, TheSdkDoesNotCountTheRegisterThatAnAccumulationHides) {
  const AgentCatalogue catalogue = catalogue_of("x", {{"P", 2}}, {{"A", {"P:X@HIGH_RES"}}, {"B", {"P:Y"}}});
  const std::vector<Counters> items{{"A"}, {"B"}};
  EXPECT_EQ(first_fit(catalogue, items, Rule::kSdk), (std::vector<Counters>{{"A", "B"}}));
  EXPECT_EQ(first_fit(catalogue, items, Rule::kRegisters), (std::vector<Counters>{{"A"}, {"B"}}));
}

TEST(Peers, TheSdkAcceptsTwoAccumulationsOfOneCounter) {
  const AgentCatalogue catalogue = catalogue_of("x", {{"P", 4}}, {{"A", {"P:X@HIGH_RES"}}, {"B", {"P:X@LOW_RES"}}});
  const std::vector<Counters> items{{"A"}, {"B"}};
  EXPECT_EQ(first_fit(catalogue, items, Rule::kSdk), (std::vector<Counters>{{"A", "B"}}));
  EXPECT_EQ(first_fit(catalogue, items, Rule::kRegisters), (std::vector<Counters>{{"A"}, {"B"}}));
}

TEST(Peers, AGroupStaysWholeAndComesFirst) {
  const AgentCatalogue catalogue = catalogue_of("x", {{"P", 2}}, {{"A", {"P:A"}}, {"B", {"P:B"}}, {"C", {"P:C"}}});
  const std::vector<Counters> items = items_of({{"A", "B", "C"}, {{"B", "C"}}});
  EXPECT_EQ(items, (std::vector<Counters>{{"B", "C"}, {"A"}}));
  EXPECT_EQ(first_fit(catalogue, items, Rule::kRegisters), (std::vector<Counters>{{"B", "C"}, {"A"}}));
}

}  // namespace
}  // namespace multipass::bench
