// SPDX-License-Identifier: MIT
// What is settled before the first kernel, with simulated GPUs: the passes of each GPU, and what the SDK is asked for.
#include "tool/preparation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "sdk/abi/rocprofiler.h"
#include "sdk/counted_configs.hpp"
#include "sim_sdk/isolated.hpp"

namespace multipass::tool {
namespace {

using sdk_test::config_calls;

constexpr std::size_t kTrialsOfSlots = 10;  // of a gfx942
constexpr const char* kFour = "SQ_WAVES,SQ_INSTS_VALU,FETCH_SIZE,WRITE_SIZE";

// In a process of its own, on these simulated GPUs.
template <class Body>
void on(const char* devices, const Body& body) {
  const auto outcome = sim_sdk_test::isolated([&] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", devices, 1);
    body();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

Preparation prepared_for(const std::string& events, std::size_t* asked = nullptr) {
  RunConfig config;
  config.events = events;
  StartUpCost cost;
  Result<Preparation> preparation = prepare(config, true, cost);
  EXPECT_TRUE(preparation) << preparation.message();
  if (asked != nullptr) *asked = cost.configs_asked;
  return preparation ? *std::move(preparation) : Preparation{};
}

std::vector<PreparedAgent> gpus_of(const Preparation& preparation) {
  std::vector<PreparedAgent> gpus;
  for (const PreparedAgent& agent : preparation.agents)
    if (agent.agent.info.type == AgentType::kGpu) gpus.push_back(agent);
  return gpus;
}

std::vector<std::vector<std::string>> passes_of(const PreparedAgent& gpu) {
  std::vector<std::vector<std::string>> passes;
  for (const PassPlan& pass : gpu.plan.passes) passes.push_back(pass.counters);
  return passes;
}

std::size_t configs_of(const Preparation& preparation) {
  std::set<std::uint64_t> configs;
  for (const PreparedAgent& agent : preparation.agents) configs.insert(agent.configs.begin(), agent.configs.end());
  return configs.size();
}

TEST(Preparation, NoConfigurationIsAskedForTwice) {
  on("gfx942", [] {
    std::size_t asked = 0;
    const Preparation preparation = prepared_for(kFour, &asked);
    EXPECT_EQ(gpus_of(preparation).at(0).configs.size(), 2U);
    EXPECT_EQ(config_calls().count, kTrialsOfSlots + 2);
    EXPECT_EQ(asked, config_calls().count);
  });
}

TEST(Preparation, OnlyTheConfigurationsOfThePlanAreLeft) {
  on("gfx942", [] {
    // Refused together, so that the planner asks for more than it uses.
    config_calls().refuse = [](std::uint64_t, const std::vector<std::uint64_t>& ids) {
      return ids.size() == 3 ? static_cast<int>(ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT) : 0;
    };
    const Preparation preparation = prepared_for(kFour);
    EXPECT_EQ(gpus_of(preparation).at(0).configs.size(), 2U);
    EXPECT_EQ(config_calls().kept, configs_of(preparation));
  });
}

TEST(Preparation, AnotherRequestIsAnotherPlan) {
  on("gfx942,gfx942", [] {
    const std::vector<PreparedAgent> gpus = gpus_of(prepared_for("SQ_WAVES,FETCH_SIZE:device=1"));
    EXPECT_EQ(passes_of(gpus.at(0)), (std::vector<std::vector<std::string>>{{"SQ_WAVES"}}));
    EXPECT_EQ(passes_of(gpus.at(1)), (std::vector<std::vector<std::string>>{{"FETCH_SIZE", "SQ_WAVES"}}));
  });
}

TEST(Preparation, AnotherArchitectureIsAnotherPlan) {
  on("gfx942,gfx90a,gfx942", [] {
    const std::vector<PreparedAgent> gpus = gpus_of(prepared_for(kFour));
    EXPECT_EQ(gpus.at(0).configs.size(), 2U);
    EXPECT_EQ(gpus.at(1).plan.arch, "gfx90a");
    EXPECT_EQ(gpus.at(1).configs.size(), gpus.at(1).plan.passes.size());
    EXPECT_EQ(gpus.at(2).plan.passes, gpus.at(0).plan.passes);
  });
}

}  // namespace
}  // namespace multipass::tool
