// SPDX-License-Identifier: MIT
// How many counters of a block one configuration takes, and how seldom the SDK is asked for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "sdk/abi/rocprofiler.h"
#include "sdk/configs.hpp"
#include "sdk/counted_configs.hpp"
#include "sim_sdk/isolated.hpp"

namespace multipass::sdk {
namespace {

using SlotMap = std::map<std::string, std::uint32_t>;

struct Gpu {
  std::uint64_t handle = 0;
  std::vector<SdkCounter> counters;
};

Gpu first_gpu() {
  const auto agents = query_agents();
  for (const SdkAgent& agent : *agents)
    if (agent.info.type == AgentType::kGpu) return {agent.handle, query_counters(agent)->counters};
  ADD_FAILURE() << "no GPU";
  return {};
}

// In a process of its own, on this simulated GPU.
template <class Body>
void on(const char* device, const Body& body) {
  const auto outcome = sim_sdk_test::isolated([&] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", device, 1);
    body(first_gpu());
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ProbeSlots, UsualBlocksTakeOneTrialAndOneMoreEach) {
  on("gfx942", [](const Gpu& gpu) {
    const catalogue::Slots slots = probe_slots(gpu.handle, gpu.counters);
    EXPECT_EQ(slots.by_block, (SlotMap{{"SQ", 8},
                                       {"TA", 2},
                                       {"TD", 2},
                                       {"TCP", 4},
                                       {"TCC", 4},
                                       {"TCA", 2},  // it has two counters
                                       {"CPC", 2},
                                       {"CPF", 2},
                                       {"SPI", 6},
                                       {"GRBM", 2}}));
    EXPECT_EQ(slots.trials, 10U);  // all of TCA's counters are in the first
    EXPECT_EQ(sdk_test::config_calls().count, 10U);
    EXPECT_EQ(sdk_test::config_calls().kept, 0U);
  });
}

TEST(ProbeSlots, FewerThanUsualAreFoundFromAbove) {
  on("tiny", [](const Gpu& gpu) {
    const SlotMap slots = probe_slots(gpu.handle, gpu.counters).by_block;
    EXPECT_EQ(slots, (SlotMap{{"SQ", 2}, {"TCC", 2}, {"GRBM", 2}}));
  });
}

TEST(ProbeSlots, MoreThanUsualAreFoundFromBelow) {
  on("gfx1201", [](const Gpu& gpu) {
    const SlotMap slots = probe_slots(gpu.handle, gpu.counters).by_block;
    EXPECT_EQ(slots, (SlotMap{{"SQ", 16}, {"TA", 2}, {"GL2C", 4}, {"GRBM", 2}}));
  });
}

TEST(ProbeSlots, ABlockWithFewCountersHasAsManyAsThose) {
  on("gfx942", [](Gpu gpu) {
    std::size_t of_sq = 0;
    std::erase_if(gpu.counters, [&](const SdkCounter& counter) {
      return counter.info.block != "SQ" || counter.info.is_derived || of_sq++ >= 3;
    });
    const catalogue::Slots slots = probe_slots(gpu.handle, gpu.counters);
    EXPECT_EQ(slots.by_block, (SlotMap{{"SQ", 3}}));
    EXPECT_EQ(slots.trials, 1U);
  });
}

TEST(ProbeSlots, NoCountersTakeNoTrial) {
  on("gfx942", [](const Gpu& gpu) {
    const catalogue::Slots slots = probe_slots(gpu.handle, {});
    EXPECT_TRUE(slots.by_block.empty());
    EXPECT_EQ(slots.trials, 0U);
  });
}

// The first counter of SQ is one that the SDK lists and does not accept.
TEST(ProbeSlots, ACounterThatIsRefusedForAnotherReasonIsPassedOver) {
  on("gfx942", [](const Gpu& gpu) {
    const auto bad = std::find_if(gpu.counters.begin(), gpu.counters.end(), [](const SdkCounter& counter) {
      return counter.info.block == "SQ" && !counter.info.is_derived;
    });
    ASSERT_NE(bad, gpu.counters.end());
    sdk_test::config_calls().refuse = [id = bad->id](std::uint64_t, const std::vector<std::uint64_t>& ids) {
      const bool has_bad = std::find(ids.begin(), ids.end(), id) != ids.end();
      return has_bad ? static_cast<int>(ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT) : 0;
    };
    const SlotMap slots = probe_slots(gpu.handle, gpu.counters).by_block;
    EXPECT_EQ(slots.at("SQ"), 8U);
    EXPECT_EQ(slots.at("SPI"), 6U);
  });
}

TEST(ProbeSlots, ABlockThatTakesNothingHasNoSlots) {
  on("gfx942", [](const Gpu& gpu) {
    sdk_test::config_calls().refuse = [](std::uint64_t, const std::vector<std::uint64_t>&) {
      return static_cast<int>(ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT);
    };
    for (const auto& [block, slots] : probe_slots(gpu.handle, gpu.counters).by_block) EXPECT_EQ(slots, 0U) << block;
  });
}

}  // namespace
}  // namespace multipass::sdk
