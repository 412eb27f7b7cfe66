// SPDX-License-Identifier: MIT
//
// The bounds and the search, each for itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "planner/bounds.hpp"
#include "planner/pass_model.hpp"
#include "planner/search.hpp"

namespace multipass::planner {
namespace {

using testing::catalogue_of;
using ::testing::ElementsAre;

// Costs of counters named A, B, ... on one architecture.
struct Problem {
  Problem(const std::map<std::string, std::uint32_t>& slots, const testing::CounterKeys& counters)
      : catalogue(catalogue_of("gfx942", slots, counters)), model(catalogue, names(counters)) {
    for (const auto& [name, keys] : counters) costs.push_back(model.cost_of({name}));
  }

  static std::set<std::string> names(const testing::CounterKeys& counters) {
    std::set<std::string> names;
    for (const auto& [name, keys] : counters) names.insert(name);
    return names;
  }

  AgentCatalogue catalogue;
  RegisterModel model;
  std::vector<Cost> costs;
};

// Five registers in a ring of pairs, with three slots: a pass holds two neighbouring pairs, so three passes, where
// eight slots would do for every register and its copies.
Problem ring() {
  return {{{"B", 3}},
          {{"A", {"B:1", "B:2"}},
           {"B", {"B:2", "B:3"}},
           {"C", {"B:3", "B:4"}},
           {"D", {"B:4", "B:5"}},
           {"E", {"B:5", "B:1"}}}};
}

// Every pair of four registers, two slots: six passes.
Problem all_pairs() {
  return {{{"B", 2}},
          {{"A", {"B:1", "B:2"}},
           {"B", {"B:1", "B:3"}},
           {"C", {"B:1", "B:4"}},
           {"D", {"B:2", "B:3"}},
           {"E", {"B:2", "B:4"}},
           {"F", {"B:3", "B:4"}}}};
}

TEST(Bounds, ARegisterIsNeededAsOftenAsItsCompanionsTakePasses) {
  // X with three others where a pass has room for two beside it; Y shares a pass with all of its other pool.
  const Problem problem{{{"B", 3}, {"Q", 4}},
                        {{"A", {"B:X", "B:1"}},
                         {"B", {"B:X", "B:2"}},
                         {"C", {"B:X", "B:3"}},
                         {"D", {"B:Y", "Q:1", "Q:2"}},
                         {"E", {"B:Y", "Q:3", "Q:4"}}}};
  // In order of the registers: B:1, B:2, B:3, B:X, B:Y, Q:1 to Q:4.
  EXPECT_THAT(least_copies(problem.model, problem.costs), ElementsAre(1, 1, 1, 2, 1, 1, 1, 1, 1));
  EXPECT_EQ(capacity_bound(problem.model, problem.costs), 2U);
}

TEST(Bounds, CountersThatNeedARegisterEachWithATwoSlotBlockTakeAPassEach) {
  const Problem problem{{{"GRBM", 2}},
                        {{"A", {"GRBM:X", "GRBM:1"}}, {"B", {"GRBM:X", "GRBM:2"}}, {"C", {"GRBM:X", "GRBM:3"}}}};
  EXPECT_EQ(capacity_bound(problem.model, problem.costs), 3U);
  EXPECT_EQ(clique_of(problem.model, problem.costs).size(), 3U);
}

TEST(Bounds, NothingNeedsNothing) {
  const Problem problem{{{"B", 2}}, {}};
  Nodes nodes{10};
  EXPECT_EQ(capacity_bound(problem.model, problem.costs), 0U);
  EXPECT_EQ(clique_of(problem.model, problem.costs).size(), 0U);
  EXPECT_EQ(pool_bound(problem.model, problem.costs, 0, 0, nodes).passes, 0U);
}

TEST(Bounds, ACliqueIsOfCountersThatFitNoPassTogether) {
  const Problem pairs = all_pairs();
  EXPECT_EQ(clique_of(pairs.model, pairs.costs).size(), 6U);
  EXPECT_EQ(clique_of(ring().model, ring().costs).size(), 2U);  // of five in a ring, no three
}

TEST(Bounds, TheSearchOfOneBlockTellsMoreThanItsSlots) {
  const Problem problem = ring();
  Nodes nodes{1'000};
  EXPECT_EQ(capacity_bound(problem.model, problem.costs), 2U);
  const PoolBound bound = pool_bound(problem.model, problem.costs, 2, 5, nodes);
  EXPECT_EQ(bound.passes, 3U);
  EXPECT_EQ(bound.pool, PoolId{0});
  EXPECT_LT(nodes.left, 1'000U);
  Nodes none{0};
  EXPECT_EQ(pool_bound(problem.model, problem.costs, 2, 5, none).passes, 2U);
  EXPECT_FALSE(pool_bound(problem.model, problem.costs, 2, 5, none).pool.has_value());
}

TEST(Search, FindsAPackingOrShowsThatThereIsNone) {
  const Problem problem = ring();
  Nodes nodes{1'000};
  EXPECT_EQ(search_packing(problem.model, problem.costs, 2, nodes).outcome, Outcome::kImpossible);
  const SearchResult result = search_packing(problem.model, problem.costs, 3, nodes);
  ASSERT_EQ(result.outcome, Outcome::kFound);
  EXPECT_EQ(result.passes.size(), 3U);
  std::vector<ItemId> all;
  for (const std::vector<ItemId>& pass : result.passes) {
    PassModel model{problem.model};
    for (const ItemId id : pass) model.add(problem.costs.at(id));
    EXPECT_EQ(model.overflow(), 0U);
    all.insert(all.end(), pass.begin(), pass.end());
  }
  EXPECT_THAT(all, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4));
}

TEST(Search, GivesUpWhenItsNodesAreSpent) {
  const Problem problem = ring();
  Nodes nodes{1};
  EXPECT_EQ(search_packing(problem.model, problem.costs, 3, nodes).outcome, Outcome::kGaveUp);
  EXPECT_EQ(nodes.left, 0U);
  EXPECT_EQ(search_packing(problem.model, problem.costs, 3, nodes).outcome, Outcome::kGaveUp);
}

TEST(Search, GivesUpAboveThePassesThatItCanTellApart) {
  const Problem problem = ring();
  Nodes nodes{1'000};
  EXPECT_EQ(search_packing(problem.model, problem.costs, kMostSearchedPasses, nodes).outcome, Outcome::kFound);
  EXPECT_EQ(search_packing(problem.model, problem.costs, kMostSearchedPasses + 1, nodes).outcome, Outcome::kGaveUp);
}

TEST(Search, KeepsASlotForEveryCounterOfOneRegister) {
  // Two pairs that share 1, and five singles: eight registers in two passes of four only when 1 is programmed once.
  const testing::CounterKeys counters{{"A", {"B:1", "B:2"}}, {"B", {"B:1", "B:3"}}, {"C", {"B:4"}}, {"D", {"B:5"}},
                                      {"E", {"B:6"}},        {"F", {"B:7"}},        {"G", {"B:8"}}};
  const Problem problem{{{"B", 4}}, counters};
  Nodes nodes{100};
  const SearchResult result = search_packing(problem.model, problem.costs, 2, nodes);
  ASSERT_EQ(result.outcome, Outcome::kFound);
  EXPECT_THAT(result.passes, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5, 6)));
}

TEST(Search, KeepsAccumulationsOfOneCounterApart) {
  const Problem problem{{{"SQ", 8}}, {{"A", {"SQ:X@LOW_RES", "SQ:1"}}, {"B", {"SQ:X@HIGH_RES", "SQ:1"}}}};
  Nodes nodes{100};
  EXPECT_EQ(search_packing(problem.model, problem.costs, 1, nodes).outcome, Outcome::kImpossible);
  EXPECT_EQ(search_packing(problem.model, problem.costs, 2, nodes).outcome, Outcome::kFound);
}

TEST(Effort, OfAFewNodesLeavesTheQuestionOpen) {
  const testing::PackingData data = testing::load_packing("gfx90a");
  const AgentPlan plan = plan_agent(data.catalogue, data.request("profile-coherent"), {{}, 10});
  EXPECT_EQ(plan.proof, Proof::kNone);
  EXPECT_EQ(plan.passes.size(), 13U);  // 12 with the default (requests_test.cpp)
  EXPECT_EQ(plan.lower_bound, 12U);
}

// B shares no pass with the others, and of these any two do, but not all three: three passes, where every bound says
// two.
class BetweenTheBounds : public ::testing::Test {
 protected:
  [[nodiscard]] AgentPlan plan(const Options& options) const { return plan_agent(catalogue_, request_, options); }

  AgentCatalogue catalogue_ =
      catalogue_of("gfx942", {{"P", 2}, {"Q", 2}},
                   {{"A", {"P:3", "Q:3"}}, {"B", {"P:0", "P:1"}}, {"C", {"P:2", "Q:1"}}, {"D", {"P:2", "Q:0"}}});
  Request request_{{"A", "B", "C", "D"}, {}};
};

TEST_F(BetweenTheBounds, TheSearchProvesTheMinimum) {
  const AgentPlan plan = this->plan({});
  EXPECT_EQ(plan.passes.size(), 3U);
  EXPECT_EQ(plan.lower_bound, 2U);
  EXPECT_EQ(plan.proof, Proof::kSearch);
}

TEST_F(BetweenTheBounds, WithoutEffortNothingIsClaimed) {
  EXPECT_EQ(plan({{}, 0}).passes.size(), 3U);
  EXPECT_EQ(plan({{}, 0}).proof, Proof::kNone);
}

TEST_F(BetweenTheBounds, NothingIsClaimedOfPassesThatTheSdkDivides) {
  const AgentPlan plan = this->plan({[](const std::vector<std::string>& counters) { return counters.size() == 1; }});
  EXPECT_EQ(plan.passes.size(), 4U);
  EXPECT_EQ(plan.lower_bound, 2U);
  EXPECT_EQ(plan.proof, Proof::kNone);
}

}  // namespace
}  // namespace multipass::planner
