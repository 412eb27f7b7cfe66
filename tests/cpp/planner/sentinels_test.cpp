// SPDX-License-Identifier: MIT
#include "planner/sentinels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "fixture.hpp"

namespace multipass::planner {
namespace {

using testing::catalogue_of;
using ::testing::ElementsAre;
using testing::fits_one_pass;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::load_packing;
using ::testing::SizeIs;

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Six counters of TCC with two slots, and in SQ the work of a kernel.
AgentCatalogue small_gpu() {
  testing::CounterKeys counters{{"SQ_INSTS_VALU", {"SQ:SQ_INSTS_VALU"}},
                                {"SQ_WAVES", {"SQ:SQ_WAVES"}},
                                {"BOTH", {"SQ:SQ_INSTS_VALU", "TCC:T"}},
                                {"BUSY", {"SQ:L@LOW_RES"}},
                                {"BUSIER", {"SQ:L@HIGH_RES"}},
                                {"WIDE", {"SQ:W1", "SQ:W2", "SQ:W3"}},
                                {"xcc", {}}};
  for (const char* name : {"A", "B", "C", "D", "E", "F"}) counters[name] = {std::string{"TCC:"} + name};
  return catalogue_of("gfx942", {{"SQ", 2}, {"TCC", 2}}, counters);
}

class Sentinels : public ::testing::Test {
 protected:
  [[nodiscard]] AgentPlan plan(const Names& counters, const Names& sentinels, const std::vector<Names>& groups = {},
                               const Oracle& oracle = {}) const {
    return plan_agent(catalogue_, {counters, groups, {false, sentinels}}, {oracle});
  }

  AgentCatalogue catalogue_ = small_gpu();
};

TEST_F(Sentinels, AreInEveryPassThatHasRoom) {
  const AgentPlan plan = this->plan({"A", "B", "C"}, {"SQ_WAVES"});
  ASSERT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(plan.passes[0].counters, ElementsAre("A", "B", "SQ_WAVES"));
  EXPECT_THAT(plan.passes[1].counters, ElementsAre("C", "SQ_WAVES"));
  for (const PassPlan& pass : plan.passes) {
    EXPECT_THAT(pass.sentinels, ElementsAre("SQ_WAVES"));
    EXPECT_EQ(pass.registers.at("SQ"), 1U);
    EXPECT_EQ(pass.capacity.at("SQ"), 2U);
  }
  EXPECT_THAT(plan.left_out_sentinels, IsEmpty());
}

TEST_F(Sentinels, AreNoneUnlessAskedFor) {
  for (const PassPlan& pass : plan({"A", "B", "C"}, {}).passes) EXPECT_THAT(pass.sentinels, IsEmpty());
}

TEST_F(Sentinels, AreNotInAPlanOfOnePass) {
  const AgentPlan plan = this->plan({"A", "B"}, {"SQ_WAVES", "WIDE"});
  ASSERT_THAT(plan.passes, SizeIs(1));
  EXPECT_THAT(plan.passes[0].sentinels, IsEmpty());
  EXPECT_THAT(plan.passes[0].counters, ElementsAre("A", "B"));
  EXPECT_THAT(plan.left_out_sentinels, IsEmpty()) << "there is nothing to compare";
}

TEST_F(Sentinels, AreNotMarkedInThePassWhereTheyWereAskedFor) {
  const AgentPlan plan = this->plan({"A", "B", "C", "SQ_WAVES"}, {"SQ_WAVES"});
  ASSERT_THAT(plan.passes, SizeIs(2));
  int marked = 0;
  for (const PassPlan& pass : plan.passes) {
    EXPECT_TRUE(contains(pass.counters, "SQ_WAVES"));
    marked += contains(pass.sentinels, "SQ_WAVES") ? 1 : 0;
  }
  EXPECT_EQ(marked, 1);
}

TEST_F(Sentinels, AreNotMarkedInPassesThatTheirGroupsNeed) {
  const AgentPlan plan = this->plan({"E", "F"}, {"SQ_WAVES"}, {{"SQ_WAVES", "A", "B"}, {"SQ_WAVES", "C", "D"}});
  ASSERT_THAT(plan.passes, SizeIs(3));
  for (const PassPlan& pass : plan.passes)
    EXPECT_EQ(contains(pass.sentinels, "SQ_WAVES"), contains(pass.counters, "E")) << pass.counters[0];
}

TEST_F(Sentinels, UseRegistersThatAreProgrammedAnyway) {
  // The pass of BOTH has no free register of SQ, and programs that of SQ_INSTS_VALU.
  const AgentPlan plan = this->plan({"B"}, {"SQ_INSTS_VALU"}, {{"A", "BOTH", "SQ_WAVES"}});
  ASSERT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(plan.passes[0].counters, ElementsAre("A", "BOTH", "SQ_INSTS_VALU", "SQ_WAVES"));
  EXPECT_EQ(plan.passes[0].registers.at("SQ"), 2U);
  for (const PassPlan& pass : plan.passes) EXPECT_THAT(pass.sentinels, ElementsAre("SQ_INSTS_VALU"));
}

TEST_F(Sentinels, ThatFitOnePassOnlyCompareNothing) {
  // BUSY takes both registers of SQ, itself and the hidden one.
  const AgentPlan plan = this->plan({"BUSY", "A", "B", "C"}, {"SQ_WAVES"});
  ASSERT_THAT(plan.passes, SizeIs(2));
  for (const PassPlan& pass : plan.passes) EXPECT_FALSE(contains(pass.counters, "SQ_WAVES"));
  ASSERT_THAT(plan.left_out_sentinels, SizeIs(1));
  EXPECT_EQ(plan.left_out_sentinels[0].counter, "SQ_WAVES");
  EXPECT_EQ(plan.left_out_sentinels[0].reason, "only one pass can read it: no free SQ registers in the others");
  EXPECT_THAT(sentinel_warnings(plan), ElementsAre("GPU 0 (gfx942): the sentinel SQ_WAVES compares nothing and is left "
                                                   "out: only one pass can read it: no free SQ registers in the "
                                                   "others"));
}

TEST_F(Sentinels, ThatFitOnlyWhereTheyWereAskedForStayCounters) {
  const AgentPlan plan = this->plan({"A", "B", "C"}, {"C"});
  ASSERT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(plan.passes[0].counters, ElementsAre("A", "B"));
  EXPECT_THAT(plan.passes[1].counters, ElementsAre("C"));
  EXPECT_THAT(plan.passes[1].sentinels, IsEmpty());
  ASSERT_THAT(plan.left_out_sentinels, SizeIs(1));
  EXPECT_EQ(plan.left_out_sentinels[0].reason, "only one pass can read it: no free TCC registers in the others");
}

TEST_F(Sentinels, AreLeftOutWhereTheSameCounterIsAccumulatedInAnotherWay) {
  catalogue_.slots["SQ"] = 8;
  const AgentPlan plan = this->plan({"A", "B", "C", "D", "BUSIER"}, {"BUSY"}, {{"A", "BUSIER"}});
  ASSERT_THAT(plan.passes, SizeIs(2));
  ASSERT_THAT(plan.left_out_sentinels, SizeIs(1));
  EXPECT_THAT(plan.left_out_sentinels[0].reason, HasSubstr("accumulated in another way"));
}

TEST_F(Sentinels, ThatCannotBeReadAloneAreToldWithTheReason) {
  const Oracle oracle = [](const Names& names) { return !contains(names, "D"); };
  const AgentPlan plan = this->plan({"A", "B", "C"}, {"xcc", "WIDE", "NONE", "D"}, {}, oracle);
  ASSERT_THAT(plan.left_out_sentinels, SizeIs(4));
  EXPECT_THAT(plan.left_out_sentinels[0].reason, HasSubstr("the SDK refuses it on gfx942 even alone"));
  EXPECT_EQ(plan.left_out_sentinels[1].reason, "not a counter of gfx942");
  EXPECT_EQ(plan.left_out_sentinels[2].reason, "needs 3 SQ registers, a pass has 2");
  EXPECT_THAT(plan.left_out_sentinels[3].reason, HasSubstr("a constant"));
}

TEST_F(Sentinels, AreNotAddedWhereTheOracleRefusesThePassWithThem) {
  const Oracle oracle = [](const Names& names) { return !(contains(names, "SQ_WAVES") && contains(names, "A")); };
  const AgentPlan plan = this->plan({"A", "B", "C", "D", "E", "F"}, {"SQ_WAVES"}, {}, oracle);
  ASSERT_THAT(plan.passes, SizeIs(3));
  for (const PassPlan& pass : plan.passes) {
    EXPECT_NE(contains(pass.sentinels, "SQ_WAVES"), contains(pass.counters, "A"));
    EXPECT_TRUE(oracle(pass.counters));
  }
}

TEST_F(Sentinels, ThatTheOracleRefusesNearlyEverywhereAreTold) {
  const Oracle oracle = [](const Names& names) { return names.size() == 1 || !contains(names, "SQ_WAVES"); };
  const AgentPlan plan = this->plan({"A", "B", "C", "D"}, {"SQ_WAVES"}, {}, oracle);
  ASSERT_THAT(plan.left_out_sentinels, SizeIs(1));
  EXPECT_EQ(plan.left_out_sentinels[0].reason,
            "there is no room for it in any pass: the SDK refuses it beside the other counters");
}

TEST_F(Sentinels, DoNotDependOnTheOrderOfTheirNames) {
  const AgentPlan one = plan({"A", "B", "C", "D", "E"}, {"SQ_WAVES", "SQ_INSTS_VALU", "F"});
  EXPECT_EQ(one, plan({"E", "D", "C", "B", "A"}, {"F", "SQ_INSTS_VALU", "SQ_WAVES", "F"}));
}

// What is planned of the counters that were asked for.
std::vector<Names> without_sentinels(const AgentPlan& plan) {
  std::vector<Names> passes;
  for (const PassPlan& pass : plan.passes) {
    Names& names = passes.emplace_back();
    for (const std::string& name : pass.counters)
      if (!contains(pass.sentinels, name)) names.push_back(name);
  }
  return passes;
}

class AutomaticSentinels : public ::testing::TestWithParam<std::string> {};

TEST_P(AutomaticSentinels, ChangeNothingElseAndEveryPassStillFits) {
  const testing::PackingData data = load_packing(GetParam());
  for (const testing::PackingRequest& request : data.requests) {
    const AgentPlan bare = plan_agent(data.catalogue, request.request, {});
    Request with = request.request;
    with.sentinels.automatic = true;
    const AgentPlan plan = plan_agent(data.catalogue, with, {});
    EXPECT_EQ(without_sentinels(plan), without_sentinels(bare)) << request.id;
    EXPECT_EQ(plan.lower_bound, bare.lower_bound);
    EXPECT_EQ(plan.proof, bare.proof);
    EXPECT_EQ(plan.groups, bare.groups);
    EXPECT_THAT(plan.left_out_sentinels, IsEmpty()) << "nobody asked for them by name";
    std::map<std::string, int> readers;
    for (const PassPlan& pass : plan.passes) {
      EXPECT_TRUE(fits_one_pass(data.catalogue, pass.counters)) << request.id;
      EXPECT_EQ(pass.registers, testing::registers_needed(data.catalogue, pass.counters));
      for (const std::string& name : pass.sentinels) readers[name];
    }
    for (auto& [name, count] : readers)
      for (const PassPlan& pass : plan.passes) count += contains(pass.counters, name) ? 1 : 0;
    for (const auto& [name, count] : readers) EXPECT_GE(count, 2) << request.id << ": " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, AutomaticSentinels,
                         ::testing::Values("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"),
                         [](const auto& architecture) { return architecture.param; });

TEST(AutomaticSentinels, AreWorkTimeAndCache) {
  const auto sentinels = [](const std::string& arch, const Names& counters) {
    const AgentPlan plan = plan_agent(load_packing(arch).catalogue, {counters, {}, {true}}, {});
    EXPECT_THAT(plan.passes, SizeIs(2));
    EXPECT_EQ(plan.passes.at(0).sentinels, plan.passes.at(1).sentinels);
    return plan.passes.at(0).sentinels;
  };
  for (const char* arch : {"gfx908", "gfx90a", "gfx942", "gfx950"})
    EXPECT_THAT(sentinels(arch, {"CPC_CPC_STAT_BUSY", "CPC_CPC_STAT_IDLE", "CPC_CPC_STAT_STALL"}),
                ElementsAre("GRBM_GUI_ACTIVE", "SQ_INSTS_VALU", "TCC_MISS"));
  EXPECT_THAT(sentinels("gfx1030", {"TA_FLAT_LOAD_WAVEFRONTS", "TA_FLAT_STORE_WAVEFRONTS", "TA_TA_BUSY"}),
              ElementsAre("GL2C_MISS", "GRBM_GUI_ACTIVE", "SQ_INSTS_VALU"));
  for (const char* arch : {"gfx1100", "gfx1201"})
    EXPECT_THAT(sentinels(arch, {"TA_BUFFER_LOAD_WAVEFRONTS", "TA_BUFFER_STORE_WAVEFRONTS", "TA_TA_BUSY"}),
                ElementsAre("GL2C_MISS", "GRBM_GUI_ACTIVE", "SQ_INSTS_VALU"));
}

}  // namespace
}  // namespace multipass::planner
