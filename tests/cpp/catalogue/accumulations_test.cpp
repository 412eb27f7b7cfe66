// SPDX-License-Identifier: MIT
#include "catalogue/accumulations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "catalogue/build.hpp"

namespace multipass::catalogue {
namespace {

using testing::ElementsAre;

CounterInfo of_sq(std::string name) {
  CounterInfo info;
  info.name = std::move(name);
  info.block = "SQ";
  info.instances = 32;
  return info;
}

AgentInfo of_architecture(std::string name) {
  AgentInfo agent;
  agent.name = std::move(name);
  return agent;
}

TEST(Accumulations, AreThoseWhoseLevelTheAgentHas) {
  AgentCatalogue gpu = build(of_architecture("gfx942"), {of_sq("SQ_LEVEL_WAVES"), of_sq("SQ_WAVES")}, {{"SQ", 8}});
  add_accumulations(gpu);
  ASSERT_EQ(gpu.counters.size(), 3U);
  const CounterInfo& waves = gpu.counters.at("SQ_LEVEL_WAVES_ACCUM");
  EXPECT_EQ(waves.expression, "accumulate(SQ_LEVEL_WAVES, HIGH_RES)");
  EXPECT_EQ(waves.description, "Sum over cycles of waves in flight");
  EXPECT_EQ(waves.instances, 32U);
  EXPECT_TRUE(waves.is_derived);
  EXPECT_THAT(gpu.register_keys.at("SQ_LEVEL_WAVES_ACCUM"), ElementsAre(RegisterKey{"SQ", "SQ_LEVEL_WAVES@HIGH_RES"}));
}

TEST(Accumulations, ThatTheSdkListsStayAsTheyAre) {
  CounterInfo listed = of_sq("SQ_LEVEL_WAVES_ACCUM");
  listed.description = "its own";
  AgentCatalogue gpu = build(of_architecture("gfx942"), {of_sq("SQ_LEVEL_WAVES"), listed}, {{"SQ", 8}});
  add_accumulations(gpu);
  EXPECT_EQ(gpu.counters.at("SQ_LEVEL_WAVES_ACCUM").description, "its own");
}

// A run on such a GPU defines none, so that a plan on paper must not have them either.
TEST(Accumulations, AreNoneOfAnArchitectureForWhichNoneAreDefined) {
  for (const char* architecture : {"gfx1030", "gfx1100", "gfx1201", "tiny", ""}) {
    EXPECT_FALSE(has_all_levels(architecture)) << architecture;
    AgentCatalogue gpu = build(of_architecture(architecture), {of_sq("SQ_LEVEL_WAVES")}, {{"SQ", 8}});
    add_accumulations(gpu);
    EXPECT_EQ(gpu.counters.size(), 1U) << architecture;
  }
}

TEST(Accumulations, AreSortedAndNamedAfterTheirLevel) {
  std::vector<std::string> names;
  for (const AccumulatedLevel& accumulated : accumulated_levels()) {
    EXPECT_EQ(accumulated.name, std::string{accumulated.level} + "_ACCUM");
    EXPECT_TRUE(names_accumulation(accumulated.name));
    names.emplace_back(accumulated.level);
  }
  EXPECT_THAT(names, ElementsAre("SQ_IFETCH_LEVEL", "SQ_INST_LEVEL_LDS", "SQ_INST_LEVEL_SMEM", "SQ_INST_LEVEL_VMEM",
                                 "SQ_LEVEL_WAVES"));
}

TEST(Accumulations, AreFoundInAListByTheirNames) {
  EXPECT_TRUE(names_accumulation("SQ_WAVES,SQ_LEVEL_WAVES_ACCUM:device=1"));
  EXPECT_TRUE(names_accumulation("MY_SQ_LEVEL_WAVES_ACCUM SQ_LEVEL_WAVES_ACCUM"));
  EXPECT_FALSE(names_accumulation("SQ_ACCUM_PREV,SQ_ACCUM_PREV_HIRES"));
  EXPECT_FALSE(names_accumulation("MY_OWN_ACCUM MY_SQ_LEVEL_WAVES_ACCUM SQ_LEVEL_WAVES_ACCUMS")) << "of the user's";
  EXPECT_FALSE(names_accumulation(""));
}

TEST(Accumulations, AreWantedByARunThatAsksForPanelsOrNamesOne) {
  RunConfig config;
  config.events = "SQ_WAVES";
  config.groups = {{"SQ_WAVES", "SQ_INSTS"}};
  EXPECT_FALSE(wants_accumulations(config));
  RunConfig panels = config;
  panels.compute_panels = {7};
  EXPECT_TRUE(wants_accumulations(panels));
  RunConfig events = config;
  events.events = "SQ_IFETCH_LEVEL_ACCUM";
  EXPECT_TRUE(wants_accumulations(events));
  RunConfig groups = config;
  groups.groups.push_back({"SQ_IFETCH", "SQ_IFETCH_LEVEL_ACCUM"});
  EXPECT_TRUE(wants_accumulations(groups));
  RunConfig sentinel = config;
  sentinel.sentinel = "SQ_LEVEL_WAVES_ACCUM";
  EXPECT_TRUE(wants_accumulations(sentinel));
}

}  // namespace
}  // namespace multipass::catalogue
