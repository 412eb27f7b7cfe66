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

// What is said of a list that is otherwise in order.
struct Said {
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};

Said said_of(RunConfig config, bool replays = true) {
  StartUpCost cost;
  config.events = kFour;
  const Result<Preparation> preparation = prepare(config, replays, cost);
  EXPECT_TRUE(preparation) << preparation.message();
  return preparation ? Said{preparation->warnings, preparation->notes} : Said{};
}

std::vector<sdk::SdkAgent> gpu_agents() {
  std::vector<sdk::SdkAgent> gpus;
  const auto agents = sdk::query_agents();
  for (const sdk::SdkAgent& agent : *agents)
    if (agent.info.type == AgentType::kGpu) gpus.push_back(agent);
  return gpus;
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
    EXPECT_EQ(config_calls().count, kTrialsOfSlots + 2 + 2);  // the two passes, without and with sentinels
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
    EXPECT_EQ(preparation.warnings,
              std::vector<std::string>{"GPU 0 (gfx942): by their registers FETCH_SIZE, SQ_INSTS_VALU, SQ_WAVES fit one "
                                       "pass, but the SDK does not take them together: they are in several"});
  });
}

TEST(Preparation, GpusThatAreAlikeArePlannedOnce) {
  on("gfx942,gfx942,gfx942,gfx942,gfx942,gfx942,gfx942,gfx942", [] {
    const Preparation preparation = prepared_for(kFour);
    const std::vector<PreparedAgent> gpus = gpus_of(preparation);
    ASSERT_EQ(gpus.size(), 8U);
    EXPECT_EQ(config_calls().count, kTrialsOfSlots + 2 + 8 * 2);  // the two passes without sentinels, once
    EXPECT_EQ(configs_of(preparation), 8U * 2);                   // each its own
    for (std::uint32_t i = 0; i < gpus.size(); ++i) {
      EXPECT_EQ(passes_of(gpus[i]), passes_of(gpus[0]));
      EXPECT_EQ(gpus[i].plan.passes, gpus[0].plan.passes);
      EXPECT_EQ(gpus[i].plan.lower_bound, 2U);
      EXPECT_EQ(gpus[i].plan.proof, Proof::kBound);
      EXPECT_EQ(gpus[i].plan.agent, gpus[i].agent.info.index);
      EXPECT_EQ(gpus[i].plan.device, i);
      EXPECT_EQ(gpus[i].counters.size(), 4U + 2U) << "GRBM_GUI_ACTIVE and TCC_MISS are sentinels";
    }
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

// The SDK takes no more than two counters on the second of three GPUs.
TEST(Preparation, AGpuThatRefusesAPassOfItsTwinIsPlannedOnItsOwn) {
  on("gfx942,gfx942,gfx942", [] {
    config_calls().refuse = [second = gpu_agents().at(1).handle](std::uint64_t agent,
                                                                 const std::vector<std::uint64_t>& ids) {
      return agent == second && ids.size() > 2 ? static_cast<int>(ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT) : 0;
    };
    const Preparation preparation = prepared_for("SQ_WAVES,SQ_INSTS_VALU,SQ_INSTS_SALU,SQ_BUSY_CYCLES");
    const std::vector<PreparedAgent> gpus = gpus_of(preparation);
    EXPECT_EQ(gpus.at(0).configs.size(), 1U);
    EXPECT_EQ(gpus.at(1).configs.size(), 2U);
    EXPECT_EQ(gpus.at(2).configs.size(), 1U);
    EXPECT_EQ(gpus.at(1).counters.size(), 4U);
    EXPECT_EQ(gpus.at(1).plan.device, 1U);
    EXPECT_EQ(config_calls().kept, configs_of(preparation));
    EXPECT_TRUE(preparation.warnings.empty());
  });
}

// What the first GPU refuses, its twin may have: a plan that was made around a refusal is its own GPU's.
TEST(Preparation, AGpuIsNotLeftWithoutWhatItsTwinRefuses) {
  on("gfx942,gfx942", [] {
    const sdk::SdkAgent agent = gpu_agents().at(0);
    const auto counters = sdk::query_counters(agent)->counters;
    const auto waves = std::find_if(counters.begin(), counters.end(),
                                    [](const sdk::SdkCounter& counter) { return counter.info.name == "SQ_WAVES"; });
    ASSERT_NE(waves, counters.end());
    config_calls().refuse = [first = agent.handle, id = waves->id](std::uint64_t of,
                                                                   const std::vector<std::uint64_t>& ids) {
      const bool asked = std::find(ids.begin(), ids.end(), id) != ids.end();
      return of == first && asked ? static_cast<int>(ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT) : 0;
    };
    const std::vector<PreparedAgent> gpus = gpus_of(prepared_for("SQ_WAVES,SQ_INSTS_VALU"));
    EXPECT_EQ(passes_of(gpus.at(0)), (std::vector<std::vector<std::string>>{{"SQ_INSTS_VALU"}}));
    EXPECT_EQ(passes_of(gpus.at(1)), (std::vector<std::vector<std::string>>{{"SQ_INSTS_VALU", "SQ_WAVES"}}));
  });
}

TEST(Preparation, WhatIsAskedAboutARefusedCounterCountsAndIsAskedOnce) {
  on("gfx942", [] {
    const sdk::SdkAgent agent = gpu_agents().at(0);
    const auto counters = sdk::query_counters(agent)->counters;
    const auto salu = std::find_if(counters.begin(), counters.end(),
                                   [](const sdk::SdkCounter& counter) { return counter.info.name == "SQ_INSTS_SALU"; });
    ASSERT_NE(salu, counters.end());
    std::size_t alone = 0;
    config_calls().refuse = [id = salu->id, &alone](std::uint64_t, const std::vector<std::uint64_t>& ids) {
      if (ids == std::vector{id}) ++alone;
      const bool asked = std::find(ids.begin(), ids.end(), id) != ids.end();
      return asked ? static_cast<int>(ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED) : 0;
    };
    std::size_t asked = 0;
    const Preparation preparation = prepared_for("SQ_WAVES,SQ_INSTS_SALU", &asked);
    EXPECT_EQ(alone, 1U);
    EXPECT_EQ(asked, config_calls().count);
    EXPECT_EQ(config_calls().kept, configs_of(preparation));
    ASSERT_EQ(preparation.warnings.size(), 1U);
    EXPECT_TRUE(
        preparation.warnings[0].starts_with("GPU 0 (gfx942): SQ_INSTS_SALU is not collected: the SDK refuses it: "))
        << preparation.warnings[0];
  });
}

// Where every trial is refused there seem to be no slots, and the planner does not ask about any pass.
TEST(Preparation, AGpuIsNotLeftWithoutWhatADeniedTwinHasNoSlotsFor) {
  on("gfx942,gfx942", [] {
    config_calls().refuse = [first = gpu_agents().at(0).handle](std::uint64_t of, const std::vector<std::uint64_t>&) {
      return of == first ? static_cast<int>(ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED) : 0;
    };
    std::size_t asked = 0;
    const std::vector<PreparedAgent> gpus = gpus_of(prepared_for("SQ_WAVES", &asked));
    EXPECT_TRUE(gpus.at(0).plan.passes.empty());
    EXPECT_EQ(passes_of(gpus.at(1)), (std::vector<std::vector<std::string>>{{"SQ_WAVES"}}));
    EXPECT_EQ(asked, config_calls().count) << "asking why counts, too";
  });
}

using Texts = std::vector<std::string>;

TEST(Preparation, EveryGpuThatIsWantedAndNotThereIsNamedOnce) {
  on("gfx942,gfx942", [] {
    const auto warnings = [](const std::string& gpus) {
      RunConfig config;
      config.gpus = gpus;
      return said_of(config).warnings;
    };
    EXPECT_EQ(warnings("0-1"), Texts{});
    EXPECT_EQ(warnings("0-5"), Texts{"gpus 0-5: there is no GPU 2 to 5; there are GPUs 0 to 1"});
    EXPECT_EQ(warnings("9,0,3-5,4-6,7"), Texts{"gpus 9,0,3-5,4-6,7: there is no GPU 3 to 7, 9; there are GPUs 0 to 1"});
  });
}

TEST(Preparation, NamesThatAreNoSentinelsAreToldWhateverTheMode) {
  on("gfx942", [] {
    RunConfig config;
    config.sentinel = "NOPE,TCC_*,SE_NUM,SQ_WAVES:device=4";
    const Said replayed = said_of(config, true);
    EXPECT_EQ(replayed.warnings.size(), 4U);
    for (const ReplayMode mode : {ReplayMode::kOff, ReplayMode::kRotate, ReplayMode::kAuto}) {
      config.replay = mode;
      const Said said = said_of(config, false);
      EXPECT_EQ(said.warnings, replayed.warnings);
      EXPECT_EQ(said.notes, Texts{}) << "none is left that could be read";
    }
  });
}

TEST(Preparation, SentinelsThatAreNamedWhereNothingIsReplayedAreOneNote) {
  on("gfx942", [] {
    RunConfig config;
    config.sentinel = "SQ_WAVES,TCC_REQ";
    const auto note = [&](ReplayMode mode) {
      config.replay = mode;
      const Said said = said_of(config, false);
      EXPECT_EQ(said.warnings, Texts{});
      return said.notes;
    };
    const std::string start = "the sentinels SQ_WAVES, TCC_REQ are not read: no launch is replayed, ";
    EXPECT_EQ(note(ReplayMode::kRotate), Texts{start + "by 'replay rotate'"});
    EXPECT_EQ(note(ReplayMode::kOff), Texts{start + "by 'replay off'"});
    EXPECT_EQ(note(ReplayMode::kAuto), Texts{start + "since this SDK has no kernel replay"});
    config.sentinel = "auto";
    EXPECT_EQ(note(ReplayMode::kOff), Texts{}) << "they were not named";
  });
}

TEST(Preparation, ASentinelOfAGpuThatIsLeftOutIsTold) {
  on("gfx942,gfx942", [] {
    RunConfig config;
    config.gpus = "1";
    config.sentinel = "SQ_WAVES:device=0,SQ_WAVES:device=1,NOPE";
    EXPECT_EQ(said_of(config).warnings,
              (Texts{"the sentinel 'SQ_WAVES:device=0' is left out: 'gpus 1' leaves that GPU out",
                     "the sentinel 'NOPE' is left out: not a counter of gfx942"}));
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Panels of rocprofiler-compute

Preparation prepared_for_panels(std::vector<std::uint32_t> panels, const std::string& events = {}) {
  RunConfig config;
  config.events = events;
  config.compute_panels = std::move(panels);
  StartUpCost cost;
  Result<Preparation> preparation = prepare(config, true, cost);
  EXPECT_TRUE(preparation) << preparation.message();
  return preparation ? *std::move(preparation) : Preparation{};
}

TEST(Preparation, PanelsArePlannedBesideWhatElseIsAskedFor) {
  on("gfx942", [] {
    const Preparation preparation = prepared_for_panels({12, 4, 12}, "FETCH_SIZE,WRITE_SIZE");
    EXPECT_EQ(preparation.compute_panels, std::vector<std::uint32_t>{12});
    const PreparedAgent gpu = gpus_of(preparation).at(0);
    EXPECT_EQ(gpu.plan.passes.size(), 2U);
    EXPECT_TRUE(gpu.plan.proven_minimal());
    for (const std::vector<std::string>& together :
         {Texts{"SQ_INSTS_LDS", "SQ_INST_LEVEL_LDS_ACCUM"}, Texts{"SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"}})
      EXPECT_TRUE(gpu.plan.first_with(together)) << together[1];
    for (const char* counter : {"FETCH_SIZE", "WRITE_SIZE", "SQ_WAVES", "GRBM_GUI_ACTIVE"})
      EXPECT_TRUE(gpu.plan.first_with({counter})) << counter;
    ASSERT_GE(preparation.warnings.size(), 1U);
    EXPECT_EQ(preparation.warnings[0].find("a panel is left out: '4' is no panel: give all, or some of 2, 3,"), 0U);
  });
}

TEST(Preparation, AllPanelsAreOneNoteForAlikeGpusAndTheSameInAnyOrder) {
  on("gfx942,gfx942", [] {
    const Preparation all = prepared_for_panels({2, 3, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18});
    const Preparation turned = prepared_for_panels({18, 17, 16, 15, 14, 13, 12, 11, 10, 7, 6, 5, 3, 2});
    const std::vector<PreparedAgent> gpus = gpus_of(all);
    EXPECT_LE(gpus.at(0).plan.passes.size(), 12U);
    EXPECT_TRUE(gpus.at(0).plan.unplaceable.empty());
    EXPECT_EQ(gpus.at(1).plan.passes, gpus.at(0).plan.passes);
    EXPECT_EQ(gpus_of(turned).at(0).plan, gpus.at(0).plan);
    ASSERT_EQ(all.notes.size(), 1U);
    EXPECT_EQ(all.notes[0],
              "GPU 0 (gfx942), GPU 1 (gfx942): 10 metrics of rocprofiler-compute's panels have counters that no pass "
              "takes together: 2.1 VALU FLOPs, 2.1 vL1D Cache Hit Rate, 3.1 VL1 Hit and 7 more; they are computed of "
              "what several passes read");
    ASSERT_EQ(all.warnings.size(), 2U);
    EXPECT_NE(all.warnings[0].find(" are left out: the SDK does not list a counter of each: "), std::string::npos);
    EXPECT_EQ(all.warnings[1].find("the channel tables of panel 18 will be empty"), 0U);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Counters that rocprof-sys polls

std::vector<std::string> polled_warnings(const std::string& polled, const std::string& gpus = {}) {
  RunConfig config;
  config.polled = polled;
  config.gpus = gpus;
  return said_of(std::move(config)).warnings;
}

TEST(Preparation, PolledCountersThatFitOnePassAreFine) {
  on("gfx942", [] {
    EXPECT_TRUE(polled_warnings("TCC_HIT,TCC_MISS,TCC_REQ,TCC_READ,SQ_WAVES").empty()) << "four slots, four counters";
  });
}

TEST(Preparation, PolledCountersBeyondABlockAreNamedWithWhatIsThereAndWhatIsNeeded) {
  on("gfx942", [] {
    const std::vector<std::string> warnings = polled_warnings("TCC_HIT,TCC_MISS,TCC_REQ,TCC_READ,TCC_WRITE,SQ_WAVES");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("GPU 0 (gfx942): rocprof-sys polls nothing here"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("block TCC has 4 registers where 5 are needed (TCC_HIT, TCC_MISS, TCC_REQ, TCC_READ, "
                               "TCC_WRITE)"),
              std::string::npos)
        << warnings[0];
  });
}

TEST(Preparation, PolledCountersAreCheckedOnAGpuThatIsLeftOut) {
  on("gfx942,gfx942", [] {
    const std::vector<std::string> warnings =
        polled_warnings("TCC_HIT:device=1,TCC_MISS,TCC_REQ,TCC_READ,TCC_WRITE", "0");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].rfind("GPU 1 (gfx942): rocprof-sys polls nothing here", 0), 0U) << warnings[0];
  });
}

TEST(Preparation, AConstantIsNotPolled) {
  on("gfx942", [] {
    EXPECT_EQ(polled_warnings("simd_per_cu,SQ_WAVES"),
              std::vector<std::string>{"ROCPROFSYS_GPU_PERF_COUNTERS: 'simd_per_cu' is not polled: a constant of the "
                                       "agent, the same for every dispatch"});
  });
}

}  // namespace
}  // namespace multipass::tool
