// SPDX-License-Identifier: MIT
// When a run has the SDK told of SQ_LEVEL_WAVES_ACCUM and its like, and what the SDK is told.
#include "tool/accumulations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim_sdk/isolated.hpp"
#include "tool/preparation.hpp"

namespace multipass::tool {
namespace {

using Names = std::vector<std::string>;

// In a process of its own, on these simulated GPUs.
template <class Body>
void on(const char* devices, const Body& body) {
  const auto outcome = sim_sdk_test::isolated([&] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", devices, 1);
    body();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

Preparation prepared(const RunConfig& config) {
  StartUpCost cost;
  Result<Preparation> preparation = prepare(config, false, cost);
  EXPECT_TRUE(preparation) << preparation.message();
  return preparation ? *std::move(preparation) : Preparation{};
}

Names planned(const Preparation& preparation, std::size_t agent) {
  Names names;
  for (const CounterInfo& counter : preparation.agents.at(agent).counters) names.push_back(counter.name);
  return names;
}

bool lists_accumulation(const sdk::SdkAgent& agent) {
  const auto list = sdk::query_counters(agent);
  return std::any_of(list->counters.begin(), list->counters.end(),
                     [](const sdk::SdkCounter& counter) { return counter.info.name == "SQ_LEVEL_WAVES_ACCUM"; });
}

TEST(AccumulationDefinitions, SayNameExpressionAndArchitecturesOfEachLevel) {
  const Names gpus{"gfx942", "gfx1100", "gfx90a", "gfx942"};
  const auto text = nlohmann::json::parse(accumulation_definitions(gpus));
  const auto& counters = text.at("rocprofiler-sdk").at("counters");
  ASSERT_EQ(counters.size(), 5U);
  const auto& waves = counters.at(4);
  EXPECT_EQ(waves.at("name"), "SQ_LEVEL_WAVES_ACCUM");
  EXPECT_EQ(waves.at("description"), "Sum over cycles of waves in flight");
  ASSERT_EQ(waves.at("definitions").size(), 1U);
  EXPECT_EQ(waves.at("definitions").at(0).at("expression"), "accumulate(SQ_LEVEL_WAVES, HIGH_RES)");
  EXPECT_EQ(waves.at("definitions").at(0).at("architectures").get<Names>(), (Names{"gfx942", "gfx90a"}));
}

TEST(AccumulationDefinitions, AreNoneForArchitecturesThatLackALevel) {
  const Names gpus{"gfx1100", "gfx1201", "gfx1030", "tiny"};
  EXPECT_EQ(accumulation_definitions(gpus), "");
  EXPECT_EQ(accumulation_definitions(Names{}), "");
}

TEST(Accumulations, AreCollectedByNameOnTheGpusThatHaveThem) {
  on("gfx942,gfx1100,gfx90a", [] {
    RunConfig config;
    config.events = "SQ_WAVES SQ_LEVEL_WAVES_ACCUM";
    const Preparation preparation = prepared(config);
    EXPECT_EQ(planned(preparation, 1), (Names{"SQ_LEVEL_WAVES_ACCUM", "SQ_WAVES"}));
    EXPECT_EQ(planned(preparation, 2), (Names{"SQ_WAVES"}));
    EXPECT_EQ(planned(preparation, 3), (Names{"SQ_LEVEL_WAVES_ACCUM", "SQ_WAVES"}));
  });
}

TEST(Accumulations, NeedARegisterMoreThanTheSdkCounts) {
  on("gfx942", [] {
    RunConfig config;  // five levels, five registers that hold them: ten of eight
    config.events =
        "SQ_IFETCH_LEVEL_ACCUM SQ_INST_LEVEL_LDS_ACCUM SQ_INST_LEVEL_SMEM_ACCUM SQ_INST_LEVEL_VMEM_ACCUM "
        "SQ_LEVEL_WAVES_ACCUM";
    const Preparation preparation = prepared(config);
    EXPECT_EQ(planned(preparation, 1).size(), 5U);
    EXPECT_EQ(preparation.agents.at(1).plan.passes.size(), 2U);
  });
}

TEST(Accumulations, AreNotDefinedWhereNobodyWantsThem) {
  on("gfx942", [] {
    RunConfig config;
    config.events = "SQ_WAVES";
    EXPECT_FALSE(lists_accumulation(prepared(config).agents.at(1).agent));
  });
}

TEST(Accumulations, AreDefinedForPanels) {
  on("gfx942", [] {
    RunConfig config;
    config.events = "SQ_WAVES";
    config.compute_panels = {2};
    EXPECT_TRUE(lists_accumulation(prepared(config).agents.at(1).agent));
  });
}

TEST(Accumulations, ThatComeTooLateAreOneWarningAndLeftOutByName) {
  on("gfx942", [] {
    const auto agents = sdk::query_agents();
    ASSERT_TRUE(sdk::query_counters(agents->at(1)));  // another tool's
    RunConfig config;
    config.events = "SQ_WAVES SQ_LEVEL_WAVES_ACCUM";
    const Preparation preparation = prepared(config);
    EXPECT_EQ(planned(preparation, 1), (Names{"SQ_WAVES"}));
    ASSERT_EQ(preparation.warnings.size(), 2U);
    EXPECT_EQ(preparation.warnings[0],
              "SQ_IFETCH_LEVEL_ACCUM, SQ_INST_LEVEL_LDS_ACCUM, SQ_INST_LEVEL_SMEM_ACCUM, SQ_INST_LEVEL_VMEM_ACCUM, "
              "SQ_LEVEL_WAVES_ACCUM cannot be counted: another tool of this process has had the SDK read its counter "
              "definitions; run without it");
    EXPECT_EQ(preparation.warnings[1].substr(0, 47), "'SQ_LEVEL_WAVES_ACCUM' (column 10) is left out:");
  });
}

TEST(Accumulations, AreLeftToTheDefinitionsOfTheUser) {
  on("gfx942", [] {
    setenv("ROCPROFILER_METRICS_PATH", "/opt/own", 1);
    RunConfig config;
    config.events = "SQ_LEVEL_WAVES_ACCUM";
    const auto agents = sdk::query_agents();
    EXPECT_NE(
        define_accumulations(config, *agents)
            .find(": the SDK has the counters of ROCPROFILER_METRICS_PATH=/opt/own; unset it, or define them there"),
        std::string::npos);
    EXPECT_FALSE(lists_accumulation(agents->at(1)));
  });
}

}  // namespace
}  // namespace multipass::tool
