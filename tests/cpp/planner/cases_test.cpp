// SPDX-License-Identifier: MIT
//
// Requests that are known to go wrong elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using ::testing::Pair;
using ::testing::SizeIs;

AgentPlan plan_of(const AgentCatalogue& catalogue, const std::vector<std::string>& counters) {
  AgentPlan plan = plan_agent(catalogue, {counters, {}}, {});
  expect_sound(catalogue, counters, plan);
  return plan;
}

class Gfx942 : public ::testing::Test {
 protected:
  AgentCatalogue catalogue_ = load_packing("gfx942").catalogue;
};

TEST_F(Gfx942, AnEmptyRequestHasNoPassAndNeedsNone) {
  const AgentPlan plan = plan_of(catalogue_, {});
  EXPECT_THAT(plan.passes, IsEmpty());
  EXPECT_EQ(plan.lower_bound, 0U);
  EXPECT_TRUE(plan.proven_minimal());
  EXPECT_EQ(plan.arch, "gfx942");
}

TEST_F(Gfx942, FetchAndWriteSizeNeedTwoPasses) {
  const AgentPlan plan = plan_of(catalogue_, {"FETCH_SIZE", "WRITE_SIZE"});
  ASSERT_THAT(plan.passes, SizeIs(2));
  EXPECT_EQ(plan.lower_bound, 2U);
  EXPECT_EQ(plan.proof, Proof::kBound);
  EXPECT_THAT(plan.passes[0].counters, ElementsAre("FETCH_SIZE"));
  EXPECT_THAT(plan.passes[0].registers, ElementsAre(Pair("TCC", 3U)));
  EXPECT_THAT(plan.passes[0].capacity, ElementsAre(Pair("TCC", 4U)));
  EXPECT_THAT(plan.passes[1].counters, ElementsAre("WRITE_SIZE"));
  EXPECT_THAT(plan.passes[1].registers, ElementsAre(Pair("TCC", 2U)));
}

TEST_F(Gfx942, AHiddenRegisterSplitsWhatTheSdkWouldAccept) {
  const AgentPlan plan = plan_of(catalogue_, {"LdsLatency", "TOTAL_32_OPS"});
  ASSERT_THAT(plan.passes, SizeIs(2));
  EXPECT_TRUE(plan.proven_minimal());
  EXPECT_THAT(plan.passes[0].registers, ElementsAre(Pair("SQ", 6U)));
  EXPECT_THAT(plan.passes[1].registers, ElementsAre(Pair("SQ", 3U)));  // two keys and the hidden one
}

TEST_F(Gfx942, ThreeLatenciesNeedTwoPasses) {
  const AgentPlan plan = plan_of(catalogue_, {"LdsLatency", "InstrFetchLatency", "VmemLatency"});
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_TRUE(plan.proven_minimal());
}

TEST_F(Gfx942, APlainCounterServesItsAccumulation) {
  // Three latencies take nine registers; any two and the level of one of them still six.
  const AgentPlan plan =
      plan_of(catalogue_, {"LdsLatency", "VmemLatency", "SQ_INST_LEVEL_LDS", "SQ_WAVES", "SQ_INSTS"});
  ASSERT_THAT(plan.passes, SizeIs(1));
  EXPECT_THAT(plan.passes[0].registers, ElementsAre(Pair("SQ", 8U)));
}

TEST_F(Gfx942, TwoAccumulationsOfOneCounterNeverShareAPass) {
  const AgentPlan plan = plan_of(catalogue_, {"MeanOccupancyPerCU", "MeanOccupancyPerActiveCU"});
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_EQ(plan.lower_bound, 2U);
  EXPECT_EQ(plan.proof, Proof::kBound);
}

TEST_F(Gfx942, DuplicatesAreAskedForOnce) {
  EXPECT_EQ(plan_of(catalogue_, {"SQ_WAVES", "GRBM_COUNT", "SQ_WAVES"}),
            plan_of(catalogue_, {"GRBM_COUNT", "SQ_WAVES"}));
}

TEST_F(Gfx942, ACounterThatTheAgentDoesNotHaveIsNamedAndTheOthersGoOn) {
  const AgentPlan plan = plan_of(catalogue_, {"SQ_WAVES", "GL2C_HIT"});
  EXPECT_THAT(plan.passes, SizeIs(1));
  EXPECT_THAT(plan.unplaceable, ElementsAre(UnplaceableCounter{"GL2C_HIT", "not a counter of gfx942", "", 0, 0}));
}

const std::vector<std::string> kNineOfOneBlock{"SQ_WAVES",      "SQ_INSTS_VALU",  "SQ_INSTS_SALU",
                                               "SQ_INSTS_VMEM", "SQ_INSTS_LDS",   "SQ_INSTS_SMEM",
                                               "SQ_INSTS_FLAT", "SQ_BUSY_CYCLES", "SQ_WAIT_INST_ANY"};

TEST_F(Gfx942, NineCountersOfABlockWithEightSlotsAreTwoPassesAndNoneIsLost) {
  const AgentPlan plan = plan_of(catalogue_, kNineOfOneBlock);
  ASSERT_THAT(plan.passes, SizeIs(2));
  EXPECT_TRUE(plan.proven_minimal());
  EXPECT_THAT(plan.passes[0].counters, SizeIs(7));  // waves and instructions
  EXPECT_THAT(plan.passes[1].counters, ElementsAre("SQ_BUSY_CYCLES", "SQ_WAIT_INST_ANY"));
}

TEST(PlanAgent, ACounterOfABlockWithoutSlotsIsDroppedByName) {
  testing::CounterKeys counters{{"SX_BUSY", {"SX:SX_BUSY"}}};
  for (const std::string& name : kNineOfOneBlock) counters[name] = {"SQ:" + name};
  std::vector<std::string> asked = kNineOfOneBlock;
  asked.emplace_back("SX_BUSY");
  const AgentPlan plan = plan_of(catalogue_of("gfx942", {{"SQ", 8}, {"SX", 0}}, counters), asked);
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(plan.unplaceable,
              ElementsAre(UnplaceableCounter{"SX_BUSY", "needs 1 SX register, a pass has 0", "SX", 1, 0}));
  EXPECT_TRUE(plan.proven_minimal());
}

TEST(PlanAgent, AnOverfullCounterIsDroppedWithBlockNeedAndLimit) {
  const AgentCatalogue catalogue =
      catalogue_of("gfx942", {{"SQ", 2}}, {{"BIG", {"SQ:A", "SQ:X@LOW_RES"}}, {"A", {"SQ:A"}}});
  const AgentPlan plan = plan_of(catalogue, {"A", "BIG"});
  EXPECT_THAT(plan.passes, SizeIs(1));
  EXPECT_THAT(plan.unplaceable,
              ElementsAre(UnplaceableCounter{"BIG", "needs 3 SQ registers, a pass has 2", "SQ", 3, 2}));
}

TEST(PlanAgent, ACounterThatAccumulatesAnotherInTwoWaysIsDropped) {
  const AgentCatalogue catalogue = catalogue_of("gfx942", {{"SQ", 8}}, {{"LH", {"SQ:X@LOW_RES", "SQ:X@HIGH_RES"}}});
  const AgentPlan plan = plan_of(catalogue, {"LH"});
  EXPECT_THAT(plan.passes, IsEmpty());
  ASSERT_THAT(plan.unplaceable, SizeIs(1));
  EXPECT_THAT(plan.unplaceable[0].reason, ::testing::HasSubstr("two resolutions"));
}

TEST(PlanAgent, ACounterOfUnknownCostIsDroppedAndNotGuessed) {
  const AgentPlan plan = plan_of(catalogue_of("gfx942", {{"SQ", 8}}, {{"ODD", {":ODD"}}}), {"ODD"});
  EXPECT_THAT(plan.unplaceable,
              ElementsAre(UnplaceableCounter{
                  "ODD", "its registers are not known: the SDK gives no block or expression for it", "", 1, 0}));
}

TEST(PlanAgent, AnExpressionWithNamesThatAreNoCountersIsBlamedByThem) {
  const AgentPlan one = plan_of(catalogue_of("gfx942", {{"SQ", 8}}, {{"SUM", {"SQ:A", ":GONE"}}}), {"SUM"});
  ASSERT_THAT(one.unplaceable, SizeIs(1));
  EXPECT_EQ(one.unplaceable[0].reason,
            "its registers are not known: its expression needs GONE, not a counter of gfx942");
  const AgentPlan two = plan_of(catalogue_of("gfx942", {{"SQ", 8}}, {{"SUM", {":GONE", ":LOST"}}}), {"SUM"});
  ASSERT_THAT(two.unplaceable, SizeIs(1));
  EXPECT_EQ(two.unplaceable[0].reason,
            "its registers are not known: its expression needs GONE, LOST, not counters of gfx942");
}

TEST(PlanAgent, AnExpressionWithACounterOfUnknownCostIsBlamedByThatCounter) {
  const AgentPlan plan =
      plan_of(catalogue_of("gfx942", {{"SQ", 8}}, {{"ODD", {":ODD"}}, {"SUM", {":GONE", ":ODD"}}}), {"SUM"});
  ASSERT_THAT(plan.unplaceable, SizeIs(1));
  EXPECT_EQ(plan.unplaceable[0].reason,
            "its registers are not known: its expression needs GONE, not a counter of gfx942; "
            "the SDK gives no block or expression for ODD");
}

TEST(PlanAgent, AConstantNeedsNoPass) {
  const AgentPlan plan = plan_of(catalogue_of("gfx942", {{"SQ", 8}}, {{"num_xcc", {}}}), {"num_xcc"});
  EXPECT_THAT(plan.passes, IsEmpty());
  EXPECT_THAT(plan.unplaceable, IsEmpty());
}

TEST(PlanAgent, AnAccumulationAndEightPlainCountersAreTwoPasses) {
  testing::CounterKeys counters{{"ACC", {"SQ:LEVEL@HIGH_RES"}}};
  std::vector<std::string> asked{"ACC"};
  for (int i = 0; i < 7; ++i) {
    const std::string name = "P" + std::to_string(i);
    counters[name] = {"SQ:" + name};
    asked.push_back(name);
  }
  const AgentCatalogue catalogue = catalogue_of("gfx1152", {{"SQ", 8}}, counters);
  EXPECT_THAT(plan_of(catalogue, asked).passes, SizeIs(2));
  asked.pop_back();
  EXPECT_THAT(plan_of(catalogue, asked).passes, SizeIs(1));
}

TEST(PlanAgent, EachOfTwoAccumulationsOfOneCounterCountsItsOwnHiddenRegister) {
  // Thirteen plain registers, two accumulations and X for each of them: seventeen, where two passes have sixteen.
  testing::CounterKeys counters{{"L", {"SQ:X@LOW_RES"}}, {"H", {"SQ:X@HIGH_RES"}}};
  std::vector<std::string> asked{"L", "H"};
  for (int i = 0; i < 13; ++i) {
    asked.push_back("P" + std::to_string(i));
    counters[asked.back()] = {"SQ:" + asked.back()};
  }
  const AgentPlan plan = plan_of(catalogue_of("gfx942", {{"SQ", 8}}, counters), asked);
  EXPECT_EQ(plan.lower_bound, 3U);
  EXPECT_THAT(plan.passes, SizeIs(3));
}

TEST(PlanAgent, MoreCountersThanFiveHundredAreNoProblem) {
  testing::CounterKeys counters;
  std::vector<std::string> asked;
  for (int i = 0; i < 1'000; ++i) {
    const std::string name = "C" + std::to_string(i);
    counters[name] = {"SQ:" + name};
    asked.push_back(name);
  }
  const AgentPlan plan = plan_of(catalogue_of("gfx942", {{"SQ", 8}}, counters), asked);
  EXPECT_THAT(plan.passes, SizeIs(125));
  EXPECT_TRUE(plan.proven_minimal());
}

}  // namespace
}  // namespace multipass::planner
