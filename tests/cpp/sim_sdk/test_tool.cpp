// SPDX-License-Identifier: MIT
#include "test_tool.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace sim_sdk_test {

namespace {

ToolHooks hooks;
rocprofiler_client_id_t* client = nullptr;
rocprofiler_client_finalize_t finalize_function = nullptr;

int initialize(rocprofiler_client_finalize_t finalize, void*) {
  finalize_function = finalize;
  if (hooks.initialize) hooks.initialize();
  return 0;
}

void finalize(void*) {
  if (hooks.finalize) hooks.finalize();
}

rocprofiler_tool_configure_result_t result{sizeof(result), &initialize, &finalize, nullptr};

rocprofiler_tool_configure_result_t* configure(std::uint32_t, const char*, std::uint32_t, rocprofiler_client_id_t* id) {
  client = id;
  id->name = "test tool";
  if (hooks.configure) hooks.configure();
  return &result;
}

}  // namespace

void register_tool(ToolHooks tool) {
  hooks = std::move(tool);
  EXPECT_EQ(rocprofiler_force_configure(&configure), ROCPROFILER_STATUS_SUCCESS);
}

void start_tool(FakeRuntime& runtime, ToolHooks tool) {
  register_tool(std::move(tool));
  runtime.attach();
}

rocprofiler_client_id_t tool_client() {
  return *client;
}

rocprofiler_client_finalize_t tool_finalize_function() {
  return finalize_function;
}

void end_tool() {
  finalize_function(*client);
}

rocprofiler_context_id_t make_context() {
  rocprofiler_context_id_t context{0};
  EXPECT_EQ(rocprofiler_create_context(&context), ROCPROFILER_STATUS_SUCCESS);
  return context;
}

std::vector<rocprofiler_agent_v0_t> agents() {
  std::vector<rocprofiler_agent_v0_t> all;
  rocprofiler_query_available_agents(
      ROCPROFILER_AGENT_INFO_VERSION_0,
      [](rocprofiler_agent_version_t, const void** list, std::size_t count, void* data) {
        for (std::size_t i = 0; i < count; ++i) {
          static_cast<std::vector<rocprofiler_agent_v0_t>*>(data)->push_back(
              *static_cast<const rocprofiler_agent_v0_t*>(list[i]));
        }
        return ROCPROFILER_STATUS_SUCCESS;
      },
      sizeof(rocprofiler_agent_v0_t), &all);
  return all;
}

rocprofiler_agent_id_t first_gpu() {
  return agents().at(1).id;
}

rocprofiler_counter_id_t counter(const std::string& name) {
  struct Search {
    std::string name;
    std::optional<rocprofiler_counter_id_t> found;
  } search{name, std::nullopt};
  rocprofiler_iterate_agent_supported_counters(
      first_gpu(),
      [](rocprofiler_agent_id_t, rocprofiler_counter_id_t* ids, std::size_t count, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (std::size_t i = 0; i < count; ++i) {
          rocprofiler_counter_info_v0_t info{};
          rocprofiler_query_counter_info(ids[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &info);
          if (wanted.name == info.name) wanted.found = ids[i];
        }
        return ROCPROFILER_STATUS_SUCCESS;
      },
      &search);
  EXPECT_TRUE(search.found.has_value()) << name;
  return search.found.value_or(rocprofiler_counter_id_t{UINT64_MAX});
}

rocprofiler_counter_config_id_t make_config(const std::vector<std::string>& names) {
  std::vector<rocprofiler_counter_id_t> ids;
  for (const std::string& name : names) ids.push_back(counter(name));
  rocprofiler_counter_config_id_t config{0};
  static_cast<void>(rocprofiler_create_counter_config(first_gpu(), ids.data(), ids.size(), &config));
  return config;
}

double sum_of(const rocprofiler_counter_record_t* records, std::size_t count, const std::string& name) {
  const rocprofiler_counter_id_t wanted = counter(name);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    rocprofiler_counter_id_t id{0};
    rocprofiler_query_record_counter_id(records[i].id, &id);
    if (id.handle == wanted.handle) sum += records[i].counter_value;
  }
  return sum;
}

}  // namespace sim_sdk_test
