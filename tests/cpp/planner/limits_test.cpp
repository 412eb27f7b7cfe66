// SPDX-License-Identifier: MIT
//
// Plans on architectures that can do less than their SDK says, and counters that share no pass whatever the slots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fixture.hpp"

namespace multipass::planner {
namespace {

using testing::catalogue_of;
using ::testing::ElementsAre;
using testing::load_packing;
using ::testing::Pair;
using testing::planned_counters;
using ::testing::SizeIs;

using Names = std::vector<std::string>;

// `count` counters of one block, named by it.
Names counters_of(const std::string& block, int count) {
  Names names;
  for (int i = 0; i < count; ++i) names.push_back(block + "_" + std::to_string(i));
  return names;
}

AgentPlan plan_of(const std::string& arch, const std::map<std::string, std::uint32_t>& slots, const Names& names) {
  testing::CounterKeys counters;
  for (const std::string& name : names) counters[name] = {name.substr(0, name.find('_')) + ":" + name};
  AgentPlan plan = plan_agent(catalogue_of(arch, slots, counters), {names, {}}, {});
  EXPECT_EQ(planned_counters(plan), testing::sorted(names));
  EXPECT_TRUE(plan.proven_minimal());
  return plan;
}

TEST(LimitsOfAnArchitecture, Gfx1151HasOneTcpCounterInAPass) {
  const AgentPlan plan = plan_of("gfx1151", {{"TCP", 4}}, counters_of("TCP", 3));
  EXPECT_THAT(plan.passes, SizeIs(3));
  for (const PassPlan& pass : plan.passes) EXPECT_THAT(pass.capacity, ElementsAre(Pair("TCP", 1U)));
  EXPECT_THAT(plan_of("gfx1100", {{"TCP", 4}}, counters_of("TCP", 3)).passes, SizeIs(1));
}

TEST(LimitsOfAnArchitecture, Gfx1200AndGfx1201HaveEightSqCountersInAPass) {
  for (const char* arch : {"gfx1200", "gfx1201"}) {
    EXPECT_THAT(plan_of(arch, {{"SQ", 16}}, counters_of("SQ", 8)).passes, SizeIs(1)) << arch;
    const AgentPlan plan = plan_of(arch, {{"SQ", 16}}, counters_of("SQ", 9));
    EXPECT_THAT(plan.passes, SizeIs(2)) << arch;
    EXPECT_THAT(plan.passes[0].capacity, ElementsAre(Pair("SQ", 8U))) << arch;
  }
}

TEST(LimitsOfAnArchitecture, Gfx1250SharesRegistersBetweenSpAndSq) {
  Names names = counters_of("SP", 5);
  for (const std::string& name : counters_of("SQ", 4)) names.push_back(name);
  const AgentPlan plan = plan_of("gfx1250", {{"SP", 8}, {"SQ", 8}}, names);
  ASSERT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(plan.passes[0].registers, ElementsAre(Pair("SP+SQ", 8U)));
  EXPECT_THAT(plan.passes[1].registers, ElementsAre(Pair("SP+SQ", 1U)));
  EXPECT_THAT(plan_of("gfx1201", {{"SP", 8}, {"SQ", 8}}, names).passes, SizeIs(1));
}

TEST(LimitsOfAnArchitecture, PartnersThatFitNoPassTogetherAreSplitAndNamed) {
  const Names names{"TCP_TOTAL_READ", "TCP_TOTAL_WRITE"};
  const AgentPlan plan = plan_of("gfx1151", {{"TCP", 4}}, names);
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(plan.partners, ElementsAre(PartnersPlacement{"vector L1 accesses by kind", names, std::nullopt}));
}

class NeverTogether : public ::testing::TestWithParam<const char*> {};

TEST_P(NeverTogether, AreTwoPassesAndAnImpossibleGroup) {
  const AgentCatalogue catalogue = load_packing(GetParam()).catalogue;
  const auto has_key = [](const std::vector<RegisterKey>& keys, const std::string& name) {
    return std::any_of(keys.begin(), keys.end(), [&](const RegisterKey& key) { return key.name == name; });
  };
  int pairs = 0;
  for (const auto& [low, low_keys] : catalogue.register_keys)
    for (const auto& [high, high_keys] : catalogue.register_keys) {
      if (!has_key(low_keys, "SQ_LEVEL_WAVES@LOW_RES") || !has_key(high_keys, "SQ_LEVEL_WAVES@HIGH_RES")) continue;
      ++pairs;
      const AgentPlan plan = plan_agent(catalogue, {{}, {{low, high}}}, {});
      EXPECT_THAT(plan.passes, SizeIs(2)) << low << ' ' << high;
      ASSERT_THAT(plan.unplaceable, SizeIs(1)) << low << ' ' << high;
      EXPECT_THAT(plan.unplaceable[0].reason, ::testing::HasSubstr("two resolutions"));
    }
  EXPECT_GT(pairs, 0);
}

INSTANTIATE_TEST_SUITE_P(Data, NeverTogether, ::testing::Values("gfx90a", "gfx942", "gfx950"),
                         [](const auto& instance) { return std::string{instance.param}; });

}  // namespace
}  // namespace multipass::planner
