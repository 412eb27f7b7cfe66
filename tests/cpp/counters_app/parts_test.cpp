// SPDX-License-Identifier: MIT
//
// The parts of the program that need no SDK: file names and the index.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/counters/index_json.hpp"

namespace multipass::apps {
namespace {

using ::testing::ElementsAre;

std::vector<AgentCatalogue> catalogues_named(const std::vector<std::string>& names) {
  std::vector<AgentCatalogue> catalogues;
  for (const std::string& name : names) catalogues.emplace_back().agent.name = name;
  return catalogues;
}

TEST(FileNames, AreTheNamesOfTheAgents) {
  EXPECT_THAT(file_names(catalogues_named({"gfx942", "tiny"})), ElementsAre("gfx942.json", "tiny.json"));
}

TEST(FileNames, TellTwoKindsOfOneNameApart) {
  EXPECT_THAT(file_names(catalogues_named({"gfx942", "gfx942-2", "gfx942", "gfx942"})),
              ElementsAre("gfx942.json", "gfx942-2.json", "gfx942-3.json", "gfx942-4.json"));
}

TEST(FileNames, StayInTheirFolder) {
  EXPECT_THAT(file_names(catalogues_named({"../gfx", "a b/c", "", ".hidden"})),
              ElementsAre("_._gfx.json", "a_b_c.json", "gpu.json", "_hidden.json"));
}

TEST(Index, NamesTheCatalogueOfAnAgentOrTheReasonWhyThereIsNone) {
  LiveCatalogues live;
  live.sdk.version = "1.4.1";
  live.sdk.library = "/opt/x.so";
  live.sdk.replay_kind = 25;
  live.catalogues = catalogues_named({"gfx942"});
  live.catalogues[0].counters["A"].name = "A";
  live.agents.resize(2);
  live.agents[0].info.type = AgentType::kCpu;
  live.agents[0].info.name = "EPYC";
  live.agents[0].reason = "no counters";
  live.agents[1].info.index = AgentIndex{1};
  live.agents[1].info.name = "gfx942";
  live.agents[1].info.product_name = "MI300X";
  live.agents[1].catalogue = 0;
  EXPECT_EQ(nlohmann::json::parse(index_json(live, {"gfx942.json"})), nlohmann::json::parse(R"({
    "schema": 1,
    "sdk": {"version": "1.4.1", "library": "/opt/x.so", "simulated": false, "kernel_replay": true},
    "agents": [
      {"index": 0, "type": "cpu", "device": null, "name": "EPYC", "product_name": "", "counters": 0,
       "catalogue": null, "reason": "no counters"},
      {"index": 1, "type": "gpu", "device": 0, "name": "gfx942", "product_name": "MI300X", "counters": 1,
       "catalogue": "gfx942.json", "reason": ""}]})"));
}

}  // namespace
}  // namespace multipass::apps
