// SPDX-License-Identifier: MIT
#include "planner/pass_model.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "fixture.hpp"

namespace multipass::planner {
namespace {

using testing::catalogue_of;
using testing::fits_one_pass;
using testing::load_packing;
using testing::registers_needed;

std::set<std::string> names_of(const AgentCatalogue& catalogue) {
  std::set<std::string> names;
  for (const auto& [name, counter] : catalogue.counters) names.insert(name);
  return names;
}

std::uint32_t capacity(const RegisterModel& model, const std::string& pool) {
  for (const Pool& candidate : model.pools())
    if (candidate.name == pool) return candidate.capacity;
  return 0;
}

TEST(RegisterModel, AnAccumulationCostsItsHiddenRegisterToo) {
  const AgentCatalogue catalogue =
      catalogue_of("gfx942", {{"SQ", 8}}, {{"X", {"SQ:X"}}, {"XA", {"SQ:X@HIGH_RES"}}, {"Y", {"SQ:Y"}}});
  const RegisterModel model{catalogue, names_of(catalogue)};
  EXPECT_EQ(model.cost_of({"XA"}).size(), 2U);
  EXPECT_EQ(model.cost_of({"X", "XA"}).size(), 2U);
  EXPECT_EQ(model.cost_of({"XA", "Y"}).size(), 3U);
}

TEST(RegisterModel, AnArchitectureMayHaveFewerRegistersThanItAdvertises) {
  const testing::CounterKeys counters{{"A", {"SQ:A"}}, {"B", {"TCP:B"}}};
  const auto sq_of = [&](const std::string& arch, std::uint32_t advertised) {
    const AgentCatalogue catalogue = catalogue_of(arch, {{"SQ", advertised}, {"TCP", 4}}, counters);
    return capacity(RegisterModel{catalogue, {"A", "B"}}, "SQ");
  };
  const auto tcp_of = [&](const std::string& arch) {
    const AgentCatalogue catalogue = catalogue_of(arch, {{"SQ", 8}, {"TCP", 4}}, counters);
    return capacity(RegisterModel{catalogue, {"A", "B"}}, "TCP");
  };
  EXPECT_EQ(sq_of("gfx1200", 16), 8U);
  EXPECT_EQ(sq_of("gfx1201", 16), 8U);
  EXPECT_EQ(sq_of("gfx1201", 4), 4U);
  EXPECT_EQ(sq_of("gfx1100", 16), 16U);
  EXPECT_EQ(tcp_of("gfx1151"), 1U);
  EXPECT_EQ(tcp_of("gfx1152"), 1U);
  EXPECT_EQ(tcp_of("gfx1100"), 4U);
}

TEST(RegisterModel, BlocksThatShareRegistersAreOnePool) {
  const testing::CounterKeys counters{{"A", {"SQ:A", "SQ:B"}}, {"C", {"SP:C", "SP:D"}}};
  const AgentCatalogue shared = catalogue_of("gfx1250", {{"SQ", 3}, {"SP", 4}}, counters);
  const AgentPlan plan = plan_agent(shared, {{"A", "C"}, {}}, {});
  ASSERT_EQ(plan.passes.size(), 2U);
  EXPECT_EQ(plan.passes[0].capacity.at("SP+SQ"), 3U);
  EXPECT_EQ(plan.passes[0].registers.at("SP+SQ"), 2U);
  EXPECT_EQ(plan_agent(catalogue_of("gfx942", {{"SQ", 3}, {"SP", 4}}, counters), {{"A", "C"}, {}}, {}).passes.size(),
            1U);
}

TEST(PassModel, KnowsByHowMuchItOverflows) {
  const AgentCatalogue catalogue = catalogue_of(
      "gfx942", {{"SQ", 3}}, {{"L", {"SQ:X@LOW_RES"}}, {"H", {"SQ:X@HIGH_RES"}}, {"Y", {"SQ:Y"}}, {"Z", {"SQ:Z"}}});
  const RegisterModel model{catalogue, names_of(catalogue)};
  PassModel pass{model};
  pass.add(model.cost_of({"L"}));
  EXPECT_EQ(pass.used(0), 2U);
  EXPECT_EQ(pass.overflow(), 0U);
  EXPECT_FALSE(pass.fits(model.cost_of({"H"})));
  pass.add(model.cost_of({"H"}));
  EXPECT_EQ(pass.overflow(), 1U);  // three registers of three, but two accumulations of X
  pass.add(model.cost_of({"Y", "Z"}));
  EXPECT_EQ(pass.overflow(), 3U);
  pass.remove(model.cost_of({"L"}));
  EXPECT_EQ(pass.overflow(), 1U);
  pass.remove(model.cost_of({"Z"}));
  EXPECT_EQ(pass.overflow(), 0U);
  EXPECT_EQ(pass.total_used(), 3U);
}

TEST(PassModel, RefusesAnItemWithTwoAccumulationsOfOneCounter) {
  const AgentCatalogue catalogue = catalogue_of("gfx942", {{"SQ", 8}}, {{"LH", {"SQ:X@LOW_RES", "SQ:X@HIGH_RES"}}});
  const RegisterModel model{catalogue, {"LH"}};
  EXPECT_FALSE(PassModel{model}.fits(model.cost_of({"LH"})));
}

TEST(PassModel, ARegisterInUseIsFree) {
  const AgentCatalogue catalogue =
      catalogue_of("gfx942", {{"SQ", 8}, {"TCC", 4}}, {{"AB", {"SQ:A", "SQ:B"}}, {"BC", {"SQ:B", "TCC:C"}}});
  const RegisterModel model{catalogue, names_of(catalogue)};
  PassModel pass{model};
  pass.add(model.cost_of({"AB"}));
  EXPECT_EQ(pass.added_registers(model.cost_of({"BC"})), 1U);
  EXPECT_EQ(pass.added_load(model.cost_of({"BC"})), kWholePool / 4);
  EXPECT_EQ(pass.added_load(model.cost_of({"AB"})), 0U);
}

// Items come and go at random; after each step the pass must say what the rule says of the items that are in it.
TEST(PassModel, AgreesWithTheRuleAfterAnySequenceOfChanges) {
  const AgentCatalogue catalogue = load_packing("gfx942").catalogue;
  const RegisterModel model{catalogue, names_of(catalogue)};
  std::vector<std::string> all;
  for (const std::string& name : names_of(catalogue))
    if (name.starts_with("SQ_") || name.find('_') == std::string::npos || name.starts_with("Mean")) all.push_back(name);
  std::mt19937 random{3};
  int full = 0;
  for (int round = 0; round < 200; ++round) {
    PassModel pass{model};
    std::vector<std::string> inside;
    for (int step = 0; step < 40; ++step) {
      if (!inside.empty() && random() % 3 == 0) {
        const auto victim = inside.begin() + static_cast<std::ptrdiff_t>(random() % inside.size());
        pass.remove(model.cost_of({*victim}));
        inside.erase(victim);
      } else {
        const std::string& name = all[random() % all.size()];
        std::vector<std::string> with = inside;
        with.push_back(name);
        if (pass.overflow() == 0) {
          ASSERT_EQ(pass.fits(model.cost_of({name})), fits_one_pass(catalogue, with)) << name;
        }
        pass.add(model.cost_of({name}));
        inside.push_back(name);
      }
      ASSERT_EQ(pass.overflow() == 0, fits_one_pass(catalogue, inside));
      full += pass.overflow() > 0 ? 1 : 0;
      // Where two flags of one counter meet, the rule counts a hidden register for each; the pass says "no" at once.
      if (testing::has_clash(catalogue, inside)) continue;
      for (PoolId pool = 0; pool < model.pools().size(); ++pool) {
        const auto needed = registers_needed(catalogue, inside);
        const auto found = needed.find(model.pools()[pool].name);
        ASSERT_EQ(pass.used(pool), found == needed.end() ? 0 : found->second);
      }
    }
  }
  EXPECT_GT(full, 500);
}

}  // namespace
}  // namespace multipass::planner
