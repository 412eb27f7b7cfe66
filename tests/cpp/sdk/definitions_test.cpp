// SPDX-License-Identifier: MIT
// Counters that are defined to the SDK, and what its agents say of their memory.
#include "sdk/definitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "sdk/inventory.hpp"
#include "sim_sdk/isolated.hpp"

namespace multipass::sdk {
namespace {

// In a process of its own, on these simulated GPUs.
template <class Body>
std::string on(const char* devices, const Body& body) {
  const auto outcome = sim_sdk_test::isolated([&] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", devices, 1);
    body(*query_agents());
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  return outcome.error;
}

std::string text_of(const char* name, const char* expression) {
  return R"({"rocprofiler-sdk":{"counters":[{"name":")" + std::string(name) +
         R"(","description":"","definitions":[{"architectures":["tiny"],"expression":")" + expression + R"("}]}]}})";
}

TEST(Definitions, BecomeDerivedCountersWithTheInstancesOfTheirExpression) {
  on("tiny", [](const std::vector<SdkAgent>& agents) {
    ASSERT_TRUE(append_definitions(text_of("SQ_LEVEL_WAVES_ACCUM", "accumulate(SQ_LEVEL_WAVES, HIGH_RES)")));
    const auto list = query_counters(agents.at(1));
    const CounterInfo& info = list->counters.back().info;
    EXPECT_EQ(info.name, "SQ_LEVEL_WAVES_ACCUM");
    EXPECT_EQ(info.expression, "accumulate(SQ_LEVEL_WAVES, HIGH_RES)");
    EXPECT_TRUE(info.is_derived);
    EXPECT_EQ(info.instances, 2U) << "shader engines";
  });
}

TEST(Definitions, AreAnErrorOnceACounterWasAskedFor) {
  on("tiny", [](const std::vector<SdkAgent>& agents) {
    const std::size_t before = query_counters(agents.at(1))->counters.size();
    const Status status = append_definitions(text_of("Late", "SQ_WAVES_sum"));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.message(),
              "another tool of this process has had the SDK read its counter definitions; run without it");
    EXPECT_EQ(query_counters(agents.at(1))->counters.size(), before);
  });
}

TEST(Definitions, ThatTheSdkDoesNotTakeAreAnErrorWithItsStatus) {
  on("tiny", [](const std::vector<SdkAgent>&) {
    EXPECT_EQ(append_definitions("").message(),
              "the SDK does not take counter definitions: ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT (19)");
  });
}

TEST(Agents, TellTheClockOfTheirMemoryAndTheWavesOfACu) {
  on("gfx942,gfx90a,tiny", [](const std::vector<SdkAgent>& agents) {
    EXPECT_EQ(agents.at(0).info.mem_clk_max, 0U) << "the CPU lists no bank";
    EXPECT_EQ(agents.at(1).info.mem_clk_max, 1300U);
    EXPECT_EQ(agents.at(1).info.max_waves_per_cu, 32U);
    EXPECT_EQ(agents.at(2).info.mem_clk_max, 1600U);
    EXPECT_EQ(agents.at(3).info.mem_clk_max, 0U) << "not known";
    EXPECT_EQ(agents.at(1).info.memory_partition, "") << "of a simulated GPU, whatever this machine has";
  });
}

}  // namespace
}  // namespace multipass::sdk
