// SPDX-License-Identifier: MIT
#include "apps/plan/plan_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/plan/counters_json.hpp"
#include "apps/plan/plan_request.hpp"
#include "base/text.hpp"
#include "fixture.hpp"

namespace multipass::apps {
namespace {

using planner::testing::catalogue_of;
using planner::testing::load_packing;
using ::testing::ElementsAre;
using Json = nlohmann::ordered_json;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// A request without sentinels.
PlanTexts plain(std::string events, std::vector<std::string> groups = {}, std::vector<std::string> sets = {}) {
  return {std::move(events), std::move(groups), std::move(sets), "none"};
}

// Two GPUs of one architecture.
std::vector<AgentCatalogue> two_gpus() {
  std::vector<AgentCatalogue> catalogues(2, load_packing("gfx942").catalogue);
  catalogues[1].agent.device = 1;
  return catalogues;
}

TEST(PlanJson, HasTheKeysOfTheContractInAFixedOrder) {
  const Json json =
      Json::parse(plan_json(plan_request(two_gpus(), plain("FETCH_SIZE,WRITE_SIZE,TCC_HIT,TCC_HIT:device=0",
                                                           {"TCC_HIT,TCC_MISS", "FETCH_SIZE,WRITE_SIZE"}))));
  EXPECT_THAT(keys_of(json),
              ElementsAre("schema", "effort", "agents", "unknown", "duplicates", "ignored", "warnings", "notes"));
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("effort"), 300'000);
  const Json& agent = json.at("agents").at(1);
  EXPECT_THAT(keys_of(agent),
              ElementsAre("device", "device_index", "pass_count", "lower_bound", "proven_minimal", "proof",
                          "search_given_up", "passes", "groups", "partners", "metrics", "unplaceable", "bounds"));
  EXPECT_EQ(agent.at("device"), "gfx942");
  EXPECT_EQ(agent.at("device_index"), 1);
  EXPECT_EQ(agent.at("pass_count"), 2);
  EXPECT_EQ(agent.at("lower_bound"), 2);
  EXPECT_EQ(agent.at("proven_minimal"), true);
  EXPECT_EQ(agent.at("proof"), "bound");
  EXPECT_EQ(agent.at("search_given_up"), false);
  const Json& pass = agent.at("passes").at(1);
  EXPECT_THAT(keys_of(pass), ElementsAre("index", "counters", "sentinel", "registers", "capacity"));
  EXPECT_EQ(pass.at("index"), 1);
  EXPECT_EQ(pass.at("capacity"), Json({{"TCC", 4}}));
  EXPECT_THAT(keys_of(agent.at("groups").at(0)), ElementsAre("counters", "pass"));
  EXPECT_EQ(agent.at("partners"),
            Json::array({{{"name", "L2 hits and misses"}, {"counters", {"TCC_HIT", "TCC_MISS"}}, {"pass", 0}}}));
  EXPECT_EQ(agent.at("bounds"), Json::parse(R"({"decided_by": "slots", "blocks": [
      {"block": "TCC", "registers": 7, "distinct": 7, "slots": 4, "passes": 2, "searched": null, "binding": true}],
      "clique": [], "passes_without_groups": 2})"));
  EXPECT_EQ(agent.at("unplaceable").at(0),
            Json({{"counter", "FETCH_SIZE,WRITE_SIZE"},
                  {"reason", "they need 5 TCC registers, a pass has 4; they are planned singly"},
                  {"block", "TCC"},
                  {"needs", 5},
                  {"limit", 4}}));
  EXPECT_EQ(json.at("duplicates"), Json::array({"TCC_HIT:device=0"}));
}

TEST(PlanJson, HasNoPassForPartnersThatAreInDifferentOnes) {
  const AgentCatalogue catalogue = catalogue_of("gfx942", {{"TCC", 4}},
                                                {{"TCC_HIT", {"TCC:TCC_HIT"}},
                                                 {"TCC_MISS", {"TCC:TCC_MISS"}},
                                                 {"UVW", {"TCC:U", "TCC:V", "TCC:W"}},
                                                 {"XYZ", {"TCC:X", "TCC:Y", "TCC:Z"}}});
  const Json agent =
      Json::parse(plan_json(plan_request({catalogue}, {"TCC_HIT TCC_MISS UVW XYZ", {}}))).at("agents").at(0);
  EXPECT_EQ(agent.at("partners"),
            Json::array({{{"name", "L2 hits and misses"}, {"counters", {"TCC_HIT", "TCC_MISS"}}, {"pass", nullptr}}}));
}

TEST(PlanJson, IsTheSameWhateverTheOrderOfTheRequest) {
  const std::vector<AgentCatalogue> gpus = two_gpus();
  const std::string one =
      plan_json(plan_request(gpus, {"SQ_WAVES FETCH_SIZE:device=1,WRITE_SIZE LdsLatency SQ_WAVES:device=7 SQ_WAVES",
                                    {"A,B", "TCC_HIT,TCC_MISS"}}));
  const std::string other =
      plan_json(plan_request(gpus, {"SQ_WAVES:device=7 LdsLatency,SQ_WAVES,SQ_WAVES;WRITE_SIZE FETCH_SIZE:device=1",
                                    {"TCC_MISS,TCC_HIT", "B,A"}}));
  EXPECT_EQ(one, other);
}

// Groups that overlap, are inside another, fit no pass, have an unknown member; partners in and out of them.
TEST(PlanJson, HasTheSameBytesForEveryOrderOfALargeRequestAndItsGroups) {
  const std::vector<AgentCatalogue> gpus{load_packing("gfx942").catalogue};
  std::vector<std::string> counters;
  for (const auto& [name, keys] : gpus[0].register_keys)
    if (counters.size() < 150 && !keys.empty()) counters.push_back(name);
  std::vector<std::vector<std::string>> groups{
      {"TCC_HIT", "TCC_MISS", "TCC_REQ"},
      {"TCC_MISS", "TCC_REQ", "TCC_READ"},
      {"TCC_MISS", "TCC_HIT"},
      {"FETCH_SIZE", "WRITE_SIZE"},
      {"SQ_WAVES", "NOPE"},
      {"MeanOccupancyPerCU", "MeanOccupancyPerActiveCU"},
      {"GRBM_GUI_ACTIVE", "SQ_WAVE_CYCLES"},
      {"SQ_LDS_BANK_CONFLICT", "GRBM_GUI_ACTIVE", "SQ_LDS_IDX_ACTIVE"},
  };
  std::mt19937 random{21};
  std::string first;
  for (int round = 0; round < 5; ++round) {
    PlanTexts texts{joined(counters), {}};
    for (const std::vector<std::string>& group : groups) texts.groups.push_back(joined(group));
    Json json = Json::parse(plan_json(plan_request(gpus, texts)));
    for (Json& token : json["unknown"]) token["column"] = 0;
    if (round == 0) first = json.dump();
    ASSERT_EQ(json.dump(), first);
    std::shuffle(counters.begin(), counters.end(), random);
    std::shuffle(groups.begin(), groups.end(), random);
    for (std::vector<std::string>& group : groups) std::shuffle(group.begin(), group.end(), random);
  }
  const Json agent = Json::parse(first).at("agents").at(0);
  EXPECT_EQ(agent.at("groups").size(), 4U);
  // The occupancies, fetch and write size, the unknown counter and its group.
  EXPECT_EQ(agent.at("unplaceable").size(), 4U);
}

TEST(PlanJson, NamesEveryTokenThatLedNowhere) {
  const Json json =
      Json::parse(plan_json(plan_request(two_gpus(), {"sq_waves SQ_WAVES:device=0t \"SQ_INSTS\" SQ_* SQ_WAVES:device=9",
                                                      {"SQ_WAVES:device=1,SQ_INSTS"}})));
  EXPECT_EQ(
      json.at("unknown"),
      Json::array({{{"token", "\"SQ_INSTS\""},
                    {"column", 29},
                    {"place", "events"},
                    {"suggestion", "SQ_INSTS"},
                    {"reason", "quotes are part of the token here, no counter has them in its name: leave them out"}},
                   {{"token", "SQ_*"},
                    {"column", 40},
                    {"place", "events"},
                    {"suggestion", nullptr},
                    {"reason", "there are no wildcards in an events list: name each counter in full"}},
                   {{"token", "SQ_WAVES:device=0t"},
                    {"column", 10},
                    {"place", "events"},
                    {"suggestion", "SQ_WAVES:device=0"},
                    {"reason", "after ':device=' there must be a number and nothing else"}},
                   {{"token", "SQ_WAVES:device=1"},
                    {"column", 0},
                    {"place", "group"},
                    {"suggestion", "SQ_WAVES"},
                    {"reason", "a group holds for every GPU that wants it: no ':device=' in it"}},
                   {{"token", "sq_waves"},
                    {"column", 1},
                    {"place", "events"},
                    {"suggestion", "SQ_WAVES"},
                    {"reason", "not a counter of gfx942"}}}));
  EXPECT_EQ(json.at("warnings"), Json::array({"SQ_WAVES:device=9 is collected nowhere: there are GPUs 0 to 1"}));
}

TEST(PlanJson, TellsSentinelsThatLeadNowhereWithTheirPlace) {
  PlanTexts texts{"FETCH_SIZE WRITE_SIZE", {}, {}, "tcc_req,TCC_HIT[0] SQ_WAVES:device=9 TCC_* num_xcc"};
  std::vector<AgentCatalogue> gpus = two_gpus();
  for (AgentCatalogue& gpu : gpus) {
    gpu.counters["num_xcc"].is_constant = true;
    gpu.register_keys["num_xcc"] = {};
  }
  const Json json = Json::parse(plan_json(plan_request(gpus, texts)));
  EXPECT_EQ(json.at("unknown"),
            Json::array({{{"token", "SQ_WAVES:device=9"},
                          {"column", 20},
                          {"place", "sentinel"},
                          {"suggestion", nullptr},
                          {"reason", "there are GPUs 0 to 1"}},
                         {{"token", "TCC_*"},
                          {"column", 38},
                          {"place", "sentinel"},
                          {"suggestion", nullptr},
                          {"reason", "there are no wildcards in an events list: name each counter in full"}},
                         {{"token", "tcc_req"},
                          {"column", 1},
                          {"place", "sentinel"},
                          {"suggestion", "TCC_REQ"},
                          {"reason", "not a counter of gfx942"}}}));
  EXPECT_EQ(json.at("ignored"),
            Json::array({{{"token", "num_xcc"},
                          {"reason", "no sentinel: a constant of the agent, the same for every dispatch"}}}));
  EXPECT_EQ(json.at("notes"), Json::array({"sentinels: TCC_HIT[0]: no single instance can be chosen: all instances of "
                                           "the counter are collected"}));
  // TCC_HIT has room beside WRITE_SIZE, where two registers are free, and in FETCH_SIZE's fourth.
  for (const Json& pass : json.at("agents").at(0).at("passes"))
    EXPECT_EQ(pass.at("sentinel"), Json::array({"TCC_HIT"}));
}

TEST(PlanJson, WarnsOfASentinelThatComparesNothing) {
  const Json json = Json::parse(
      plan_json(plan_request({load_packing("gfx942").catalogue}, {"FETCH_SIZE WRITE_SIZE", {}, {}, "FETCH_SIZE"})));
  EXPECT_EQ(json.at("warnings"),
            Json::array({"GPU 0 (gfx942): the sentinel FETCH_SIZE compares nothing and is left out: only one pass can "
                         "read it: no free TCC registers in the others"}));
}

TEST(PlanRequest, WarnsOfEveryGpuWhoseSearchWasGivenUp) {
  const planner::testing::PackingData data = load_packing("gfx90a");
  const planner::Request& request = data.request("profile-coherent");
  PlanTexts texts;
  for (const std::string& counter : request.counters) texts.events += counter + ' ';
  for (const std::vector<std::string>& group : request.groups) {
    std::string& text = texts.groups.emplace_back();
    for (const std::string& counter : group) text += counter + ' ';
  }
  std::vector<AgentCatalogue> gpus(2, data.catalogue);
  gpus[1].agent.device = 1;
  int made = 0;
  PlanLimits limits;
  limits.new_cut_off = [&] { return [first = ++made == 1] { return !first; }; };
  const PlanDocument document = plan_request(gpus, texts, limits);
  EXPECT_THAT(document.warnings,
              ElementsAre("GPU 1 (gfx90a): the search for fewer passes took longer than 10 s and was "
                          "given up: first-fit plan"));
  EXPECT_EQ(document.agents.at(0).passes.size(), 12U);
  EXPECT_EQ(document.agents.at(1).passes.size(), 13U);
  EXPECT_EQ(document.agents.at(1).proof, Proof::kNone);
  const Json agents = Json::parse(plan_json(document)).at("agents");
  EXPECT_EQ(agents.at(0).at("search_given_up"), false);
  EXPECT_EQ(agents.at(1).at("search_given_up"), true);
}

TEST(PlanRequest, KnowsWhenNothingCanBePlaced) {
  const std::vector<AgentCatalogue> gpus = two_gpus();
  EXPECT_TRUE(nothing_placed(plan_request(gpus, {"NOPE", {}})));
  EXPECT_TRUE(nothing_placed(plan_request(gpus, {"SQ_WAVES:device=5", {}})));
  EXPECT_FALSE(nothing_placed(plan_request(gpus, {"NOPE SQ_WAVES:device=1", {}})));
  EXPECT_FALSE(nothing_placed(plan_request(gpus, {"", {}})));
  EXPECT_FALSE(nothing_placed(plan_request(gpus, {"", {}, {}, "NOPE"}))) << "no counter was asked for in vain";
}

TEST(CountersJson, TellsWhatEachCounterCostsInEachBlock) {
  const AgentCatalogue catalogue = load_packing("gfx942").catalogue;
  const Json agent = Json::parse(counters_json({catalogue})).at("agents").at(0);
  EXPECT_EQ(agent.at("counters").size(), catalogue.counters.size());
  EXPECT_EQ(agent.at("slots").at("TCC"), 4);
  for (const Json& counter : agent.at("counters")) {
    if (counter.at("name") == "FETCH_SIZE") {
      EXPECT_EQ(counter.at("registers"), Json({{"TCC", 3}}));
    }
  }
}

TEST(CountersJson, CountsBlocksThatShareRegistersAsOneAsThePlanDoes) {
  const AgentCatalogue catalogue =
      catalogue_of("gfx1250", {{"SP", 8}, {"SQ", 16}}, {{"BOTH", {"SP:A", "SQ:B"}}, {"ONE", {"SQ:B"}}});
  const Json agent = Json::parse(counters_json({catalogue})).at("agents").at(0);
  EXPECT_EQ(agent.at("slots"), Json({{"SP+SQ", 8}}));
  EXPECT_EQ(agent.at("counters").at(0).at("registers"), Json({{"SP+SQ", 2}}));
}

// gfx1100 has no counters of the vector cache, so the set is smaller there; both read L2 from their own block.
TEST(PlanJson, GivesEachGpuTheMetricsOfItsArchitecture) {
  std::vector<AgentCatalogue> catalogues{load_packing("gfx942").catalogue, load_packing("gfx1100").catalogue};
  catalogues[1].agent.device = 1;
  const Json json = Json::parse(plan_json(plan_request(catalogues, {"", {}, {"cache"}})));
  const Json& first = json.at("agents").at(0).at("metrics");
  EXPECT_EQ(first.size(), 5U);
  EXPECT_EQ(first.at(0), Json({{"name", "l2_hit_rate"},
                               {"set", "cache"},
                               {"unit", "%"},
                               {"formula", "100 * TCC_HIT_sum / (TCC_HIT_sum + TCC_MISS_sum)"},
                               {"counters", {"TCC_HIT_sum", "TCC_MISS_sum"}},
                               {"pass", 0}}));
  const Json& second = json.at("agents").at(1).at("metrics");
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second.at(0).at("counters"), Json({"GL2C_HIT_sum", "GL2C_MISS_sum"}));
  EXPECT_EQ(json.at("agents").at(1).at("passes").at(0).at("counters"), Json({"GL2C_HIT_sum", "GL2C_MISS_sum"}));
  EXPECT_EQ(json.at("warnings"), Json::array());
}

TEST(PlanJson, WarnsOfASetWithoutMetricsOnAGpuAndPlansTheOther) {
  std::vector<AgentCatalogue> catalogues{load_packing("gfx1201").catalogue, load_packing("gfx942").catalogue};
  catalogues[1].agent.device = 1;
  const PlanDocument document = plan_request(catalogues, {"", {}, {"occupancy"}});
  EXPECT_THAT(document.warnings, ElementsAre("set occupancy has no metric for GPU 0 (gfx1201)"));
  EXPECT_TRUE(document.agents.at(0).passes.empty());
  EXPECT_EQ(document.agents.at(1).passes.size(), 1U);
  EXPECT_FALSE(nothing_placed(document));
}

}  // namespace
}  // namespace multipass::apps
