// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "planner/explain.hpp"

namespace multipass::planner {
namespace {

using testing::catalogue_of;
using ::testing::ElementsAre;
using testing::fits_one_pass;
using ::testing::IsEmpty;
using testing::load_packing;
using testing::planned_counters;
using ::testing::SizeIs;

using Names = std::vector<std::string>;

bool is_whole(const PassPlan& pass, Names group) {
  std::sort(group.begin(), group.end());
  group.erase(std::unique(group.begin(), group.end()), group.end());
  return std::includes(pass.counters.begin(), pass.counters.end(), group.begin(), group.end());
}

// Ten counters of one block with four slots, one register each.
class Groups : public ::testing::Test {
 protected:
  static AgentCatalogue ten_counters() {
    testing::CounterKeys counters;
    for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"})
      counters[name] = {std::string{"TCC:"} + name};
    counters["xcc"] = {};
    return catalogue_of("gfx942", {{"TCC", 4}}, counters);
  }

  [[nodiscard]] AgentPlan plan(const Names& counters, const std::vector<Names>& groups) const {
    return plan_agent(catalogue_, {counters, groups}, {});
  }

  AgentCatalogue catalogue_ = ten_counters();
};

TEST_F(Groups, AreWholeInThePassThatThePlanNames) {
  const AgentPlan plan = this->plan({"A", "B", "C", "D", "E"}, {{"E", "A"}});
  EXPECT_THAT(plan.passes, SizeIs(2));
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("A", "E"));
  EXPECT_TRUE(is_whole(plan.passes.at(plan.groups[0].pass), {"A", "E"}));
}

TEST_F(Groups, ThatOverlapAreNotMergedAndShareTheirCounter) {
  const AgentPlan plan = this->plan({}, {{"A", "B", "C"}, {"C", "D", "E"}});
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(planned_counters(plan), ElementsAre("A", "B", "C", "C", "D", "E"));
  EXPECT_EQ(plan.lower_bound, 2U);
  ASSERT_THAT(plan.groups, SizeIs(2));
  for (const GroupPlacement& group : plan.groups) EXPECT_TRUE(is_whole(plan.passes.at(group.pass), group.counters));
}

TEST_F(Groups, InsideAnotherAreDropped) {
  const AgentPlan plan = this->plan({}, {{"A", "B"}, {"B", "A", "C"}, {"C", "B", "A", "A"}});
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("A", "B", "C"));
}

TEST_F(Groups, CountTheirMembersAsRequested) {
  EXPECT_THAT(planned_counters(plan({}, {{"B", "A"}})), ElementsAre("A", "B"));
}

TEST_F(Groups, DoNotNeedTheirConstants) {
  const AgentPlan plan = this->plan({"A"}, {{"A", "xcc"}, {"xcc"}});
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("A"));
  EXPECT_THAT(plan.unplaceable, IsEmpty());
}

TEST_F(Groups, ThatFitNoPassAreNamedAndTheirCountersPlannedSingly) {
  const AgentPlan plan = this->plan({"F"}, {{"A", "B", "C", "D", "E"}, {"A", "B"}});
  EXPECT_THAT(plan.unplaceable,
              ElementsAre(UnplaceableCounter{
                  "A,B,C,D,E", "they need 5 TCC registers, a pass has 4; they are planned singly", "TCC", 5, 4}));
  EXPECT_THAT(planned_counters(plan), ElementsAre("A", "B", "C", "D", "E", "F"));
  EXPECT_THAT(plan.passes, SizeIs(2));
  ASSERT_THAT(plan.groups, SizeIs(1));  // a part of one that is not possible still holds
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("A", "B"));
}

TEST_F(Groups, WithAnUnknownMemberAreNamedAndTheRestPlannedSingly) {
  const AgentPlan plan = this->plan({"A"}, {{"A", "NOPE"}});
  EXPECT_THAT(plan.unplaceable,
              ElementsAre(UnplaceableCounter{"A,NOPE",
                                             "not whole without NOPE, which cannot be placed; they are planned "
                                             "singly",
                                             "", 0, 0},
                          UnplaceableCounter{"NOPE", "not a counter of gfx942", "", 0, 0}));
  EXPECT_THAT(planned_counters(plan), ElementsAre("A"));
  EXPECT_THAT(plan.groups, IsEmpty());
}

TEST_F(Groups, OfClashingAccumulationsAreNotPossible) {
  const AgentCatalogue catalogue =
      catalogue_of("gfx942", {{"SQ", 8}}, {{"L", {"SQ:X@LOW_RES"}}, {"H", {"SQ:X@HIGH_RES"}}});
  const AgentPlan plan = plan_agent(catalogue, {{}, {{"L", "H"}}}, {});
  EXPECT_THAT(plan.passes, SizeIs(2));
  ASSERT_THAT(plan.unplaceable, SizeIs(1));
  EXPECT_EQ(plan.unplaceable[0].counter, "H,L");
}

TEST_F(Groups, ThatAreLooseAreWholeWhereTheyFitAndElseLeftOutWithoutAWord) {
  Request request;
  request.loose_groups = {{"A", "B", "C", "D", "E"}, {"B", "A"}, {"xcc", "F", "E"}, {"F", "NOPE"}};
  const AgentPlan plan = plan_agent(catalogue_, request, {});
  EXPECT_THAT(plan.unplaceable,
              ElementsAre(UnplaceableCounter{"NOPE", "not a counter of gfx942", "", 0, 0}));  // it is no group
  EXPECT_THAT(planned_counters(plan), ElementsAre("A", "B", "C", "D", "E", "F"));
  ASSERT_THAT(plan.groups, SizeIs(2));
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("A", "B"));
  EXPECT_THAT(plan.groups[1].counters, ElementsAre("E", "F"));
  for (const GroupPlacement& group : plan.groups) EXPECT_TRUE(is_whole(plan.passes.at(group.pass), group.counters));
}

TEST_F(Groups, ThatAreLooseToOneAskerAndNotToAnotherAreNamed) {
  Request request;
  request.groups = {{"A", "B", "C", "D", "E"}};
  request.loose_groups = {{"E", "D", "C", "B", "A"}};
  const AgentPlan plan = plan_agent(catalogue_, request, {});
  ASSERT_THAT(plan.unplaceable, SizeIs(1));
  EXPECT_EQ(plan.unplaceable[0].counter, "A,B,C,D,E");
}

TEST_F(Groups, ThatAreLooseKeepAGroupInsideThemWholeUnlessTheyAreNotPossible) {
  Request request;
  request.groups = {{"A", "E"}};
  request.loose_groups = {{"A", "B", "E"}, {"A", "B", "C", "D", "E"}};
  AgentPlan plan = plan_agent(catalogue_, request, {});
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("A", "B", "E"));
  request.loose_groups.erase(request.loose_groups.begin());
  plan = plan_agent(catalogue_, request, {});
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("A", "E"));
}

TEST_F(Groups, ThatAreLooseHaveNoSentinelAmongTheirCounters) {
  Request request;
  request.counters = {"C", "D", "E", "F", "G"};
  request.loose_groups = {{"A", "B"}};
  request.sentinels.named = {"A"};
  const AgentPlan plan = plan_agent(catalogue_, request, {});
  ASSERT_THAT(plan.passes, SizeIs(2));
  const std::optional<std::uint32_t> pass = plan.first_with({"A", "B"});
  ASSERT_TRUE(pass);
  EXPECT_THAT(plan.passes[*pass].sentinels, IsEmpty());
  EXPECT_THAT(plan.passes[1 - *pass].sentinels, ElementsAre("A"));
}

TEST_F(Groups, ThatAreLooseCostWhatTheSameGroupsCost) {
  Request request;
  request.loose_groups = {{"A", "B", "C"}, {"C", "D", "E"}};
  EXPECT_EQ(plan_agent(catalogue_, request, {}), plan({}, {{"A", "B", "C"}, {"C", "D", "E"}}));
  EXPECT_EQ(passes_without_groups(catalogue_, request), 2U);
}

TEST(GroupsOfAnSdk, ThatAreLooseAndRefusedArePlannedSinglyWithoutAWord) {
  const AgentCatalogue catalogue = catalogue_of("gfx942", {{"TCC", 4}}, {{"A", {"TCC:A"}}, {"B", {"TCC:B"}}});
  Options options;
  options.oracle = [](const Names& counters) { return counters.size() < 2; };
  Request request;
  request.loose_groups = {{"A", "B"}};
  const AgentPlan plan = plan_agent(catalogue, request, options);
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(plan.unplaceable, IsEmpty());
  EXPECT_THAT(plan.groups, IsEmpty());
}

TEST(GroupLaws, EveryPossibleGroupIsWholeAndEveryCounterIsSomewhere) {
  const AgentCatalogue catalogue = load_packing("gfx942").catalogue;
  Names all;
  for (const auto& [name, keys] : catalogue.register_keys)
    if (!keys.empty()) all.push_back(name);
  std::mt19937 random{9};
  for (int round = 0; round < 150; ++round) {
    Request request;
    for (int i = 0; i < 40; ++i) request.counters.push_back(all[random() % all.size()]);
    for (int i = 0; i < 12; ++i) {
      Names& group = (i % 2 == 0 ? request.groups : request.loose_groups).emplace_back();
      const std::size_t near = random() % (all.size() - 12);  // neighbours by name are often of one block
      for (std::size_t k = 2 + random() % 4; k > 0; --k) group.push_back(all[near + random() % 12]);
    }
    const AgentPlan plan = plan_agent(catalogue, request, {});
    std::set<std::string> wanted{request.counters.begin(), request.counters.end()};
    for (const std::vector<Names>& groups : {request.groups, request.loose_groups})
      for (const Names& group : groups) {
        wanted.insert(group.begin(), group.end());
        const bool whole = std::any_of(plan.passes.begin(), plan.passes.end(),
                                       [&](const PassPlan& pass) { return is_whole(pass, group); });
        ASSERT_TRUE(whole || !fits_one_pass(catalogue, group)) << ::testing::PrintToString(group);
      }
    const Names planned = planned_counters(plan);
    ASSERT_EQ(std::set<std::string>(planned.begin(), planned.end()), wanted);
    for (const PassPlan& pass : plan.passes) ASSERT_TRUE(fits_one_pass(catalogue, pass.counters));
    for (const GroupPlacement& group : plan.groups) ASSERT_TRUE(is_whole(plan.passes.at(group.pass), group.counters));
    ASSERT_LE(plan.lower_bound, plan.passes.size());
  }
}

}  // namespace
}  // namespace multipass::planner
