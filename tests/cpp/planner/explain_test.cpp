// SPDX-License-Identifier: MIT
#include "planner/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fixture.hpp"

namespace multipass::planner {
namespace {

using testing::catalogue_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::load_packing;
using testing::PackingData;
using testing::PackingRequest;

using Names = std::vector<std::string>;

AgentPlan plan_of(const AgentCatalogue& catalogue, const Names& counters) {
  return plan_agent(catalogue, {counters, {}}, {});
}

TEST(Explain, NamesTheBlockWhoseSlotsDecide) {
  const AgentPlan plan = plan_of(load_packing("gfx942").catalogue, {"FETCH_SIZE", "WRITE_SIZE", "SQ_WAVES"});
  EXPECT_EQ(plan.bounds.kind, BoundKind::kSlots);
  EXPECT_THAT(plan.bounds.blocks, ElementsAre(BlockBound{"SQ", 1, 1, 8, 1, std::nullopt, false},
                                              BlockBound{"TCC", 5, 5, 4, 2, std::nullopt, true}));
  EXPECT_THAT(plan.bounds.clique, IsEmpty());
}

TEST(Explain, CountsARegisterForEachPassThatMustHaveIt) {
  const AgentPlan plan =
      plan_of(catalogue_of("gfx942", {{"GRBM", 2}},
                           {{"A", {"GRBM:X", "GRBM:1"}}, {"B", {"GRBM:X", "GRBM:2"}}, {"C", {"GRBM:X", "GRBM:3"}}}),
              {"A", "B", "C"});
  EXPECT_THAT(plan.bounds.blocks, ElementsAre(BlockBound{"GRBM", 6, 4, 2, 3, std::nullopt, true}));
}

TEST(Explain, NamesCountersThatNeverShareAPass) {
  const AgentPlan plan =
      plan_of(load_packing("gfx942").catalogue, {"MeanOccupancyPerCU", "MeanOccupancyPerActiveCU", "SQ_WAVES"});
  EXPECT_EQ(plan.lower_bound, 2U);
  EXPECT_EQ(plan.bounds.kind, BoundKind::kClique);
  EXPECT_THAT(plan.bounds.clique, ElementsAre(Names{"MeanOccupancyPerActiveCU"}, Names{"MeanOccupancyPerCU"}));
  for (const BlockBound& block : plan.bounds.blocks) EXPECT_FALSE(block.binding) << block.block;
}

TEST(Explain, NamesTheBlockWhoseSearchDecides) {
  // Five registers in a ring of pairs, three slots: two passes by the slots, three in truth (search_test.cpp).
  const AgentPlan plan = plan_of(catalogue_of("gfx942", {{"B", 3}, {"Q", 1}},
                                              {{"A", {"B:1", "B:2"}},
                                               {"B", {"B:2", "B:3"}},
                                               {"C", {"B:3", "B:4"}},
                                               {"D", {"B:4", "B:5"}},
                                               {"E", {"B:5", "B:1"}},
                                               {"F", {"Q:1"}}}),
                                 {"A", "B", "C", "D", "E", "F"});
  EXPECT_EQ(plan.lower_bound, 3U);
  EXPECT_EQ(plan.bounds.kind, BoundKind::kBlockSearch);
  EXPECT_THAT(plan.bounds.blocks,
              ElementsAre(BlockBound{"B", 5, 5, 3, 2, 3U, true}, BlockBound{"Q", 1, 1, 1, 1, std::nullopt, false}));
}

TEST(Explain, OfNothingIsEmpty) {
  EXPECT_EQ(plan_of(load_packing("gfx942").catalogue, {}).bounds, PlanBounds{});
}

TEST(Explain, CountsTheHiddenRegisterAndSharedBlocksAsThePassesDo) {
  const AgentPlan plan = plan_of(
      catalogue_of("gfx1250", {{"SP", 8}, {"SQ", 16}}, {{"A", {"SP:1"}}, {"B", {"SQ:L@HIGH_RES"}}}), {"A", "B"});
  EXPECT_THAT(plan.bounds.blocks, ElementsAre(BlockBound{"SP+SQ", 3, 3, 8, 1, std::nullopt, true}));
}

class ExplainedRequests : public ::testing::TestWithParam<const char*> {};

TEST_P(ExplainedRequests, HaveAReasonThatGivesTheirLowerBound) {
  const PackingData data = load_packing(GetParam());
  std::map<BoundKind, int> kinds;
  for (const PackingRequest& candidate : data.requests) {
    const AgentPlan plan = plan_agent(data.catalogue, candidate.request, {{}, 0});
    const PlanBounds& bounds = plan.bounds;
    ++kinds[bounds.kind];
    std::map<std::string, std::uint32_t> programmed;
    for (const PassPlan& pass : plan.passes)
      for (const auto& [block, registers] : pass.registers) programmed[block] += registers;
    ASSERT_EQ(programmed.size(), bounds.blocks.size());
    std::uint32_t reason = static_cast<std::uint32_t>(bounds.clique.size());
    for (const BlockBound& block : bounds.blocks) {
      EXPECT_LE(block.registers, programmed.at(block.block)) << candidate.id << ' ' << block.block;
      EXPECT_LE(block.distinct, block.registers);
      EXPECT_EQ(block.passes, (block.registers + block.slots - 1) / block.slots);
      EXPECT_LE(block.passes, plan.lower_bound);
      if (block.binding) reason = block.searched.value_or(block.passes);
    }
    EXPECT_EQ(reason, plan.lower_bound) << candidate.id;
    for (std::size_t a = 0; a < bounds.clique.size(); ++a)
      for (std::size_t b = a + 1; b < bounds.clique.size(); ++b) {
        Names both = bounds.clique[a];
        both.insert(both.end(), bounds.clique[b].begin(), bounds.clique[b].end());
        EXPECT_FALSE(testing::fits_one_pass(data.catalogue, both)) << ::testing::PrintToString(both);
      }
  }
  EXPECT_GT(kinds[BoundKind::kSlots], 20);
}

INSTANTIATE_TEST_SUITE_P(Data, ExplainedRequests,
                         ::testing::Values("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"),
                         [](const auto& instance) { return std::string{instance.param}; });

TEST(WithoutGroups, TheSameCountersTakeAsManyPassesAsTheyWouldSingly) {
  const PackingData data = load_packing("gfx950");
  EXPECT_EQ(passes_without_groups(data.catalogue, data.request("profile-coherent")), 15U);  // 18 with them
}

}  // namespace
}  // namespace multipass::planner
