// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fixture.hpp"

namespace multipass::planner {
namespace {

using testing::catalogue_of;
using ::testing::ElementsAre;
using testing::expect_sound;
using ::testing::IsEmpty;
using testing::load_packing;
using testing::planned_counters;
using ::testing::SizeIs;

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

AgentCatalogue six_counters() {
  testing::CounterKeys counters;
  for (const char* name : {"A", "B", "C", "D", "E", "F"}) counters[name] = {std::string{"SQ:"} + name};
  return catalogue_of("gfx942", {{"SQ", 8}}, counters);
}

const Names kSix{"A", "B", "C", "D", "E", "F"};

TEST(Oracle, ThatAcceptsEverythingIsAskedOncePerPass) {
  int asked = 0;
  const Oracle oracle = [&](const Names&) {
    ++asked;
    return true;
  };
  const AgentCatalogue catalogue = load_packing("gfx942").catalogue;
  const Names names{"FETCH_SIZE", "WRITE_SIZE", "SQ_WAVES"};
  EXPECT_EQ(plan_agent(catalogue, {names, {}}, {oracle}), plan_agent(catalogue, {names, {}}, {}));
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(plan_agent(catalogue, {names, {}}, {oracle}).refused, IsEmpty());
}

TEST(Oracle, IsAskedWithSortedNamesWithoutRepetitions) {
  const Oracle oracle = [](const Names& names) {
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    return names.size() <= 2;
  };
  EXPECT_THAT(
      plan_agent(six_counters(), {{"F", "A", "C", "B", "E", "D", "A"}, {{"B", "A"}, {"B", "C"}}}, {oracle}).passes,
      SizeIs(4));
}

TEST(Oracle, ThatTakesFewerCountersThanTheModelGetsMorePasses) {
  const Oracle oracle = [](const Names& names) { return names.size() <= 2; };
  const AgentPlan plan = plan_agent(six_counters(), {kSix, {}}, {oracle});
  expect_sound(six_counters(), kSix, plan);
  EXPECT_THAT(plan.passes, SizeIs(3));
  EXPECT_EQ(plan.lower_bound, 1U);
  EXPECT_EQ(plan.proof, Proof::kNone);
  EXPECT_THAT(plan.unplaceable, IsEmpty());
  EXPECT_THAT(plan.refused, ElementsAre(kSix)) << "what the model had put together is told";
}

TEST(Oracle, ThatRefusesACounterAloneHasItNamedAndTheOthersPlanned) {
  const Oracle oracle = [](const Names& names) { return !contains(names, "C"); };
  const AgentPlan plan = plan_agent(six_counters(), {kSix, {}}, {oracle});
  EXPECT_THAT(planned_counters(plan), ElementsAre("A", "B", "D", "E", "F"));
  EXPECT_THAT(plan.passes, SizeIs(1));
  EXPECT_THAT(plan.unplaceable,
              ElementsAre(UnplaceableCounter{"C", "the SDK refuses it on gfx942 even alone", "", 0, 0}));
}

TEST(Oracle, ThatRefusesEverythingLeavesNoPass) {
  const AgentPlan plan = plan_agent(six_counters(), {kSix, {{"A", "B"}}}, {[](const Names&) { return false; }});
  EXPECT_THAT(plan.passes, IsEmpty());
  EXPECT_THAT(plan.unplaceable, SizeIs(7));  // six counters and the group
  EXPECT_EQ(plan.lower_bound, 0U);
}

TEST(Oracle, ThatRefusesAGroupHasItNamedAndItsCountersPlannedSingly) {
  const Oracle oracle = [](const Names& names) { return !(contains(names, "A") && contains(names, "B")); };
  const AgentPlan plan = plan_agent(six_counters(), {kSix, {{"A", "B"}, {"C", "D"}}}, {oracle});
  EXPECT_THAT(planned_counters(plan), ElementsAre("A", "B", "C", "D", "E", "F"));
  EXPECT_THAT(plan.passes, SizeIs(2));
  ASSERT_THAT(plan.unplaceable, SizeIs(1));
  EXPECT_EQ(plan.unplaceable[0].counter, "A,B");
  EXPECT_EQ(plan.unplaceable[0].reason, "the SDK refuses them together on gfx942; they are planned singly");
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("C", "D"));
}

TEST(Oracle, ThatTakesOnlyTheUnionIsNotAskedToExplain) {
  // Not monotone: six together pass, fewer do not. The pass is accepted, so nothing else is asked.
  const Oracle oracle = [](const Names& names) { return names.size() == 6; };
  EXPECT_THAT(plan_agent(six_counters(), {kSix, {}}, {oracle}).passes, SizeIs(1));
}

// An SDK with a rule of its own, drawn at random: pairs that it does not take, and at most so many counters.
TEST(Oracle, AndModelBothAcceptEveryPassOfAnyRequest) {
  const AgentCatalogue catalogue = load_packing("gfx942").catalogue;
  Names all;
  for (const auto& [name, counter] : catalogue.counters) all.push_back(name);
  std::mt19937 random{21};
  for (int round = 0; round < 60; ++round) {
    const std::size_t most = 1 + random() % 20;
    const std::size_t modulus = 2 + random() % 5;
    const Oracle oracle = [&](const Names& names) {
      std::size_t odd = 0;
      for (const std::string& name : names) odd += std::hash<std::string>{}(name) % modulus == 0 ? 1 : 0;
      return names.size() <= most && odd <= 1;
    };
    Names names;
    for (int i = 0; i < 40; ++i) names.push_back(all[random() % all.size()]);
    const AgentPlan plan = plan_agent(catalogue, {names, {}}, {oracle});
    expect_sound(catalogue, names, plan);
    EXPECT_THAT(plan.unplaceable, IsEmpty());
    for (const PassPlan& pass : plan.passes) EXPECT_TRUE(oracle(pass.counters));
    if (HasFailure()) break;
  }
}

TEST(Oracle, ThatTakesOneCounterAtATimeIsAskedABoundedNumberOfTimes) {
  testing::CounterKeys counters;
  Names names;
  for (int i = 0; i < 600; ++i) {
    names.push_back("C" + std::to_string(i));
    counters[names.back()] = {"SQ:" + names.back()};
  }
  const AgentCatalogue catalogue = catalogue_of("gfx942", {{"SQ", 1'000}}, counters);
  int asked = 0;
  const Oracle oracle = [&](const Names& tried) {
    ++asked;
    return tried.size() == 1;
  };
  const AgentPlan plan = plan_agent(catalogue, {names, {}}, {oracle});
  EXPECT_THAT(plan.passes, SizeIs(600));
  EXPECT_LT(asked, 25'000);
}

}  // namespace
}  // namespace multipass::planner
