// SPDX-License-Identifier: MIT
//
// Counters that are divided by one another: the table itself, and plans that keep them in one pass.
#include "planner/partners.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "planner/items.hpp"
#include "planner/minimise.hpp"

namespace multipass::planner {
namespace {

using testing::catalogue_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::expect_sound;
using ::testing::IsEmpty;
using testing::load_packing;
using testing::PackingData;
using testing::PackingRequest;
using ::testing::SizeIs;

using Names = std::vector<std::string>;

constexpr const char* kArchs[] = {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"};

Names words(std::string_view text) {
  std::istringstream stream{std::string{text}};
  Names words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Every base register that the counters of an architecture are made of, as a counter of that name.
AgentCatalogue registers_of(const std::string& arch) {
  const AgentCatalogue catalogue = load_packing(arch).catalogue;
  testing::CounterKeys counters;
  for (const auto& [name, keys] : catalogue.register_keys)
    for (const RegisterKey& key : keys) counters[key.name] = {key.block + ":" + key.name};
  return catalogue_of(arch, catalogue.slots, counters);
}

// What an entry has on this architecture; nothing when it is not meant for it.
Names present(const RatioPartners& entry, const AgentCatalogue& registers) {
  const Names archs = words(entry.archs);
  if (!archs.empty() && std::find(archs.begin(), archs.end(), registers.agent.name) == archs.end()) return {};
  Names names = words(entry.registers);
  std::erase_if(names, [&](const std::string& name) { return !registers.counters.contains(name); });
  return names;
}

bool is_together(const AgentPlan& plan, Names counters) {
  std::sort(counters.begin(), counters.end());
  return std::any_of(plan.passes.begin(), plan.passes.end(), [&](const PassPlan& pass) {
    return std::includes(pass.counters.begin(), pass.counters.end(), counters.begin(), counters.end());
  });
}

class PartnersOf : public ::testing::TestWithParam<const char*> {
 protected:
  AgentCatalogue registers_ = registers_of(GetParam());
};

TEST_P(PartnersOf, EachEntryFitsOnePass) {
  for (const RatioPartners& entry : ratio_partners())
    EXPECT_TRUE(testing::fits_one_pass(registers_, present(entry, registers_))) << entry.name;
}

TEST_P(PartnersOf, NoRegisterIsInTwoEntries) {
  std::map<std::string, int> entries;
  for (const RatioPartners& entry : ratio_partners())
    for (const std::string& name : present(entry, registers_)) EXPECT_EQ(++entries[name], 1) << name;
}

INSTANTIATE_TEST_SUITE_P(Table, PartnersOf, ::testing::ValuesIn(kArchs),
                         [](const auto& instance) { return std::string{instance.param}; });

TEST(Partners, EveryRegisterOfTheTableExistsSomewhere) {
  std::set<std::string> seen;
  for (const char* arch : kArchs) {
    const AgentCatalogue registers = registers_of(arch);
    for (const RatioPartners& entry : ratio_partners())
      for (const std::string& name : present(entry, registers)) seen.insert(name);
  }
  for (const RatioPartners& entry : ratio_partners()) {
    const Names names = words(entry.registers);
    EXPECT_GE(names.size(), 2U) << entry.name;
    for (const std::string& name : names) EXPECT_TRUE(seen.contains(name)) << name;
  }
}

TEST(Partners, AreTheRowsOfTheDocumentedTable) {
  std::ifstream file{std::string{MULTIPASS_TEST_DATA} + "/../../docs/ratio-partners.md"};
  Names rows;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("| ") && line.find('`') != std::string::npos) rows.push_back(line);
  Names expected;
  for (const RatioPartners& entry : ratio_partners()) {
    std::string row = "| " + std::string{entry.name} + " | " +
                      (entry.archs.empty() ? std::string{"all"} : std::string{entry.archs}) + " |";
    for (const std::string& name : words(entry.registers)) row += " `" + name + '`';
    expected.push_back(row + " |");
  }
  EXPECT_EQ(rows, expected);
}

TEST(Partners, ACounterBelongsWhereAllThatItIsMadeOfDoes) {
  const AgentCatalogue catalogue = load_packing("gfx90a").catalogue;
  const std::vector<AskedPartners> asked =
      asked_partners(catalogue, {"L2CacheHit", "TCC_HIT_sum", "TCC_MISS", "MemUnitBusy", "SQ_WAVES", "TA_TA_BUSY"});
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].name, "L2 hits and misses");
  EXPECT_THAT(asked[0].counters, ElementsAre("L2CacheHit", "TCC_HIT_sum", "TCC_MISS"));
}

TEST(Partners, TwoFormsOfOneRegisterAreNoRatio) {
  EXPECT_THAT(asked_partners(load_packing("gfx942").catalogue, {"TCC_HIT", "TCC_HIT_sum"}), IsEmpty());
}

class PartnerPlans : public ::testing::TestWithParam<const char*> {};

TEST_P(PartnerPlans, HaveTheSameNumberOfPassesAndTheSameProof) {
  const PackingData data = load_packing(GetParam());
  std::size_t kept = 0;
  std::size_t asked = 0;
  for (const PackingRequest& candidate : data.requests) {
    const AgentPlan plan = plan_agent(data.catalogue, candidate.request, {});
    const Minimised alone = minimise(make_items(data.catalogue, candidate.request, {}), {}, {kDefaultEffort});
    EXPECT_EQ(plan.passes.size(), alone.passes.size()) << candidate.id;
    EXPECT_EQ(plan.lower_bound, alone.bound) << candidate.id;
    EXPECT_EQ(plan.proof != Proof::kNone, alone.at_least == alone.passes.size()) << candidate.id;
    if (candidate.request.groups.empty()) expect_sound(data.catalogue, candidate.request.counters, plan);
    for (const PartnersPlacement& partners : plan.partners) {
      EXPECT_EQ(partners.pass.has_value(), is_together(plan, partners.counters)) << partners.name;
      if (partners.pass) {
        const Names& counters = plan.passes.at(*partners.pass).counters;
        for (const std::string& counter : partners.counters) EXPECT_THAT(counters, Contains(counter));
      }
      ++asked;
      kept += partners.pass ? 1 : 0;
    }
  }
  EXPECT_GT(asked, 100U);
  EXPECT_GT(kept * 100, asked * 85) << kept << " of " << asked;  // most requests have room for them
}

INSTANTIATE_TEST_SUITE_P(Data, PartnerPlans, ::testing::ValuesIn(kArchs),
                         [](const auto& instance) { return std::string{instance.param}; });

TEST(Partners, HitsAndMissesShareAPassWhereverThatCostsNone) {
  const AgentCatalogue catalogue = load_packing("gfx942").catalogue;
  const Names pairs[] = {{"TCC_HIT", "TCC_MISS"},
                         {"TCC_READ", "TCC_WRITE"},
                         {"TCC_EA0_RDREQ", "TCC_EA0_RDREQ_32B"},
                         {"TCC_EA0_WRREQ", "TCC_EA0_WRREQ_64B"},
                         {"TCC_BUSY", "TCC_CYCLE"},
                         {"SQC_DCACHE_HITS", "SQC_DCACHE_MISSES"},
                         {"SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"}};
  std::mt19937 random{11};
  for (int round = 0; round < 40; ++round) {
    Names names;
    for (const Names& pair : pairs) names.insert(names.end(), pair.begin(), pair.end());
    std::shuffle(names.begin(), names.end(), random);
    const AgentPlan plan = plan_agent(catalogue, {names, {}}, {});
    EXPECT_THAT(plan.passes, SizeIs(3));  // ten TCC registers, twelve slots
    for (const Names& pair : pairs) EXPECT_TRUE(is_together(plan, pair)) << pair[0];
  }
}

AgentCatalogue four_slots() {
  testing::CounterKeys counters{{"XYZ", {"TCC:X", "TCC:Y", "TCC:Z"}}, {"UVW", {"TCC:U", "TCC:V", "TCC:W"}}};
  for (const char* name : {"TCC_HIT", "TCC_MISS", "TCC_BUSY", "TCC_CYCLE", "X", "Y", "Z"})
    counters[name] = {std::string{"TCC:"} + name};
  return catalogue_of("gfx942", {{"TCC", 4}}, counters);
}

TEST(Partners, AreSplitWhereTheyWouldCostAPassAndThePlanSaysSo) {
  const AgentPlan plan = plan_agent(four_slots(), {{"TCC_HIT", "TCC_MISS", "XYZ", "UVW"}, {}}, {});
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(plan.partners,
              ElementsAre(PartnersPlacement{"L2 hits and misses", {"TCC_HIT", "TCC_MISS"}, std::nullopt}));
}

TEST(Partners, OfTheFirstRowsAreKeptWhereNotAllCanBe) {
  // Two slots beside XYZ and UV, and two more: one pair fits whole.
  testing::CounterKeys counters{{"XYZ", {"TCC:X", "TCC:Y", "TCC:Z"}}, {"UV", {"TCC:U", "TCC:V"}}};
  Names asked{"XYZ", "UV"};
  for (const char* name : {"TCC_BUSY", "TCC_CYCLE", "TCC_HIT", "TCC_MISS"}) {
    counters[name] = {std::string{"TCC:"} + name};
    asked.emplace_back(name);
  }
  counters["PQR"] = {"TCC:P", "TCC:Q", "TCC:R"};
  asked.emplace_back("PQR");
  const AgentPlan plan = plan_agent(catalogue_of("gfx942", {{"TCC", 4}}, counters), {asked, {}}, {});
  EXPECT_THAT(plan.passes, SizeIs(3));
  ASSERT_THAT(plan.partners, SizeIs(2));
  EXPECT_EQ(plan.partners[0].name, "L2 hits and misses");
  EXPECT_TRUE(plan.partners[0].pass.has_value());
  EXPECT_EQ(plan.partners[1].name, "L2 busy and total cycles");
  EXPECT_FALSE(plan.partners[1].pass.has_value());
}

TEST(Partners, DoNotTearAGroupAndFollowItWhereThereIsRoom) {
  const AgentPlan plan = plan_agent(four_slots(), {{"TCC_MISS", "TCC_BUSY"}, {{"TCC_HIT", "X", "Y"}}}, {});
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_TRUE(is_together(plan, {"TCC_HIT", "TCC_MISS", "X", "Y"}));
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_THAT(plan.groups[0].counters, ElementsAre("TCC_HIT", "X", "Y"));
}

TEST(Partners, OfAGroupWithoutRoomForThemAreSplit) {
  const AgentPlan plan = plan_agent(four_slots(), {{"TCC_MISS"}, {{"TCC_HIT", "X", "Y", "Z"}}}, {});
  ASSERT_THAT(plan.partners, SizeIs(1));
  EXPECT_FALSE(plan.partners[0].pass.has_value());
  EXPECT_TRUE(is_together(plan, {"TCC_HIT", "X", "Y", "Z"}));
}

TEST(Partners, ThatTheOracleRefusesTogetherAreSplitAndNoneIsLost) {
  const Names pair{"TCC_HIT", "TCC_MISS"};
  const Oracle oracle = [&](const Names& names) {
    return !std::includes(names.begin(), names.end(), pair.begin(), pair.end());
  };
  const Names asked{"TCC_BUSY", "TCC_HIT", "TCC_MISS"};
  const AgentPlan plan = plan_agent(four_slots(), {asked, {}}, {oracle});
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_THAT(testing::planned_counters(plan), ElementsAre("TCC_BUSY", "TCC_HIT", "TCC_MISS"));
  EXPECT_THAT(plan.unplaceable, IsEmpty());
  ASSERT_THAT(plan.partners, SizeIs(1));
  EXPECT_FALSE(plan.partners[0].pass.has_value());
}

TEST(Partners, AreKeptWithoutEffortToo) {
  const AgentPlan plan = plan_agent(load_packing("gfx942").catalogue,
                                    {{"TCC_HIT", "TCC_MISS", "TCC_REQ", "TCC_READ", "TCC_WRITE"}, {}}, {{}, 0});
  EXPECT_THAT(plan.passes, SizeIs(2));
  EXPECT_TRUE(is_together(plan, {"TCC_HIT", "TCC_MISS"}));
  EXPECT_TRUE(is_together(plan, {"TCC_REQ", "TCC_READ", "TCC_WRITE"}));
}

}  // namespace
}  // namespace multipass::planner
