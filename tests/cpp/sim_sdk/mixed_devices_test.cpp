// SPDX-License-Identifier: MIT
//
// Several devices in one process, one of them without counters: status codes as run against rocprofiler-sdk 1.0.0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void simulate(const char* devices) {
  setenv("ROCPROFSYS_MULTIPASS_SIMULATE", devices, 1);
}

rocprofiler_status_t list_counters(rocprofiler_agent_id_t agent, std::vector<std::uint64_t>& ids) {
  return rocprofiler_iterate_agent_supported_counters(
      agent,
      [](auto, rocprofiler_counter_id_t* counters, std::size_t count, void* data) {
        for (std::size_t i = 0; i < count; ++i) {
          static_cast<std::vector<std::uint64_t>*>(data)->push_back(counters[i].handle);
        }
        return ROCPROFILER_STATUS_SUCCESS;
      },
      &ids);
}

std::vector<std::uint64_t> counters_of(std::size_t agent) {
  std::vector<std::uint64_t> ids;
  EXPECT_EQ(list_counters(agents().at(agent).id, ids), 0);
  return ids;
}

std::string name_of(std::uint64_t counter) {
  rocprofiler_counter_info_v0_t info{};
  EXPECT_EQ(rocprofiler_query_counter_info({counter}, ROCPROFILER_COUNTER_INFO_VERSION_0, &info), 0);
  return info.name == nullptr ? "" : info.name;
}

rocprofiler_counter_id_t named(std::size_t agent, const std::string& name) {
  const std::vector<std::uint64_t> ids = counters_of(agent);
  const auto found = std::find_if(ids.begin(), ids.end(), [&](std::uint64_t id) { return name_of(id) == name; });
  EXPECT_NE(found, ids.end()) << name;
  return {found == ids.end() ? 0 : *found};
}

rocprofiler_status_t create_config(std::size_t agent, std::vector<rocprofiler_counter_id_t> ids,
                                   rocprofiler_counter_config_id_t& config) {
  return rocprofiler_create_counter_config(agents().at(agent).id, ids.data(), ids.size(), &config);
}

// iterate_agent_supported_counters: 39 for a CPU agent and for an architecture that the SDK has no counters for;
// create_counter_config: 20 for any counter of another architecture, unknown counter 8, the handle untouched.
void expect_no_counters(std::size_t agent, rocprofiler_counter_id_t foreign) {
  SCOPED_TRACE(agents().at(agent).name);
  std::vector<std::uint64_t> ids;
  EXPECT_EQ(list_counters(agents().at(agent).id, ids), ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED);
  EXPECT_TRUE(ids.empty());
  rocprofiler_counter_config_id_t config{0};
  EXPECT_EQ(create_config(agent, {foreign}, config), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
  EXPECT_EQ(create_config(agent, {}, config), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
  EXPECT_EQ(create_config(agent, {{60000}}, config), ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
  EXPECT_EQ(config.handle, 0U);
}

TEST(AnAgentWithoutCounters, IsAGpuWithTheStatusesOfTheSdkWhereverItStands) {
  for (const char* devices : {"gfx1036,gfx942", "gfx942,gfx1036"}) {
    const Outcome outcome = isolated([&] {
      simulate(devices);
      const auto all = agents();
      ASSERT_EQ(all.size(), 3U);
      const std::size_t without = std::string(all[1].name) == "gfx1036" ? 1 : 2;
      EXPECT_EQ(all[without].type, ROCPROFILER_AGENT_TYPE_GPU);
      EXPECT_EQ(all[without].wave_front_size, 32U);
      EXPECT_EQ(counters_of(3 - without).size(), 455U);
      const rocprofiler_counter_id_t waves = named(3 - without, "SQ_WAVES");
      expect_no_counters(without, waves);
      expect_no_counters(0, waves);
    });
    EXPECT_EQ(outcome.code, 0) << devices << outcome.error;
  }
}

TEST(AnAgentWithoutCounters, MayBeTheOnlyGpu) {
  const Outcome outcome = isolated([] {
    simulate("gfx1036");
    ASSERT_EQ(agents().size(), 2U);
    std::vector<std::uint64_t> ids;
    EXPECT_EQ(list_counters(agents()[1].id, ids), ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED);
    EXPECT_EQ(list_counters({agents()[1].id.handle + 1}, ids), ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MixedDevices, OfOneArchitectureShareCounterIdsAndOthersDoNot) {
  const Outcome outcome = isolated([] {
    simulate("gfx942,gfx1100,gfx942,gfx1201,tiny");
    const std::vector<std::uint64_t> first = counters_of(1);
    EXPECT_EQ(counters_of(3), first);
    std::set<std::uint64_t> all(first.begin(), first.end());
    for (const std::size_t agent : {2, 4, 5}) {
      for (const std::uint64_t id : counters_of(agent)) EXPECT_TRUE(all.insert(id).second) << name_of(id);
    }
    EXPECT_EQ(all.size(), 455U + 116 + 94 + 23);
    EXPECT_EQ(name_of(6144), "ALUStalledByLDS");
    EXPECT_EQ(name_of(7168), "CU_NUM");
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MixedDevices, TakeCountersOfTheirOwnArchitectureOnly) {
  const Outcome outcome = isolated([] {
    simulate("gfx942,gfx1100,gfx942");
    const rocprofiler_counter_id_t cdna = named(1, "SQ_WAVES");
    const rocprofiler_counter_id_t rdna = named(2, "SQ_WAVES");
    EXPECT_NE(cdna.handle, rdna.handle);
    rocprofiler_counter_config_id_t config{0};
    EXPECT_EQ(create_config(1, {rdna}, config), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
    EXPECT_EQ(create_config(2, {cdna}, config), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
    EXPECT_EQ(create_config(2, {rdna, cdna}, config), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
    EXPECT_EQ(config.handle, 0U);
    for (const std::size_t agent : {1, 3}) {
      rocprofiler_counter_config_id_t own{0};
      EXPECT_EQ(create_config(agent, {cdna}, own), 0) << agent;
      EXPECT_NE(own.handle, 0U);
    }
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// What a counter is follows from its id, and so does how many instances it has.
TEST(MixedDevices, HaveTheInstancesOfTheirArchitecture) {
  const Outcome outcome = isolated([] {
    simulate("gfx1100,gfx942");
    std::size_t count = 0;
    EXPECT_EQ(rocprofiler_query_counter_instance_count(agents()[1].id, named(1, "SQ_WAVES"), &count), 0);
    EXPECT_EQ(count, 24U);
    EXPECT_EQ(rocprofiler_query_counter_instance_count(agents()[2].id, named(2, "SQ_WAVES"), &count), 0);
    EXPECT_EQ(count, 32U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Counts SQ_WAVES on every agent that has it.
struct CountingOnAll {
  FakeRuntime runtime;
  Services services;
  rocprofiler_context_id_t context{0};
  std::map<std::uint64_t, rocprofiler_counter_config_id_t> configs;  // by agent
  std::mutex mutex;
  std::vector<std::string> seen;      // agents of dispatches
  std::vector<std::string> recorded;  // agent, instances, sum

  std::string name_of_agent(rocprofiler_agent_id_t id) {
    for (const auto& agent : agents()) {
      if (agent.id.handle == id.handle) return std::to_string(agent.node_id) + " " + agent.name;
    }
    return "unknown";
  }

  void start(std::size_t devices) {
    runtime.devices = devices;
    services.dispatch = [this](const CountingData& data, auto& config, auto&) {
      const rocprofiler_agent_id_t agent = data.dispatch_info.agent_id;
      const std::lock_guard lock(mutex);
      seen.push_back(name_of_agent(agent));
      if (const auto found = configs.find(agent.handle); found != configs.end()) config = found->second;
    };
    services.record = [this](const CountingData& data, const rocprofiler_counter_record_t* records, std::size_t count,
                             auto) {
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += records[i].counter_value;
      const std::lock_guard lock(mutex);
      recorded.push_back(name_of_agent(data.dispatch_info.agent_id) + ": " + std::to_string(count) + " instances, " +
                         std::to_string(static_cast<int>(sum)));
    };
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [this] {
                               const auto all = agents();
                               for (std::size_t i = 1; i < all.size(); ++i) {
                                 std::vector<std::uint64_t> ids;
                                 if (list_counters(all[i].id, ids) != 0) continue;
                                 EXPECT_EQ(create_config(i, {named(i, "SQ_WAVES")}, configs[all[i].id.handle]), 0);
                               }
                               context = make_context();
                               EXPECT_EQ(services.add_counting(context), 0);
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize = {}});
  }

  void launch_on(std::uint32_t device, std::uint64_t waves) {
    LaunchOptions options;
    options.queue = device + 1;
    options.device = device;
    runtime.launch([waves](multipass_sim_activity& activity) { activity.waves = waves; }, options);
    runtime.synchronize();
  }
};

TEST(MixedDevices, AreCountedEachWithItsOwnConfiguration) {
  const Outcome outcome = isolated([] {
    simulate("gfx1036,gfx942,gfx1100,gfx942");
    static CountingOnAll tool;
    tool.start(4);
    EXPECT_EQ(tool.configs.size(), 3U);
    for (std::uint32_t device = 0; device < 4; ++device) tool.launch_on(device, 10 * (device + 1));
    EXPECT_EQ(rocprofiler_stop_context(tool.context), 0);  // waits for the records
    const std::lock_guard lock(tool.mutex);
    EXPECT_THAT(tool.seen, ElementsAre("1 gfx1036", "2 gfx942", "3 gfx1100", "4 gfx942"));
    EXPECT_THAT(tool.recorded,
                ElementsAre("2 gfx942: 32 instances, 20", "3 gfx1100: 24 instances, 30", "4 gfx942: 32 instances, 40"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// The SDK believes in 16 SQ registers, there are 8 (ROCm/rocm-systems @1b1610fc): the ninth ends the process.
TEST(Gfx1201, AcceptsNineSqCountersAndEndsTheProcessAtTheFirstDispatch) {
  const Outcome outcome = isolated([] {
    simulate("gfx1201");
    static CountingOnAll tool;
    tool.start(1);
    std::vector<rocprofiler_counter_id_t> nine;
    for (const std::uint64_t id : counters_of(1)) {
      rocprofiler_counter_info_v0_t info{};
      EXPECT_EQ(rocprofiler_query_counter_info({id}, ROCPROFILER_COUNTER_INFO_VERSION_0, &info), 0);
      if (std::string(info.block) == "SQ" && nine.size() < 9) nine.push_back({id});
    }
    rocprofiler_counter_config_id_t config{0};
    EXPECT_EQ(create_config(1, nine, config), 0) << "accepted when it is created";
    tool.configs[agents()[1].id.handle] = config;
    static_cast<void>(write(STDERR_FILENO, "launching\n", 10));
    tool.launch_on(0, 1);
  });
  EXPECT_EQ(outcome.code, kAborted);
  EXPECT_THAT(outcome.error, testing::StartsWith("launching\n"));
  EXPECT_THAT(outcome.error, HasSubstr("more registers than the hardware has: "));
}

}  // namespace
}  // namespace sim_sdk_test
