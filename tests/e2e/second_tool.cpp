// SPDX-License-Identifier: MIT
//
// Another tool in the process: collects SQ_WAVES of every dispatch, as any counting tool does, and with
// SECOND_TOOL=replay wants kernel replay too. On stderr it says what the SDK answered and at the end how many records
// came and what they sum up to.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "sdk/abi/rocprofiler.h"

namespace {

std::unordered_map<std::uint64_t, rocprofiler_counter_config_id_t> configs;  // by agent; immutable once counting starts
std::atomic<unsigned> records{0}, waves{0};

rocprofiler_status_t add_config(rocprofiler_agent_id_t agent, rocprofiler_counter_id_t* counters, std::size_t count,
                                void*) {
  for (std::size_t i = 0; i < count; ++i) {
    rocprofiler_counter_info_v0_t info{};
    rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &info);
    if (info.name == nullptr || std::strcmp(info.name, "SQ_WAVES") != 0) continue;
    rocprofiler_counter_config_id_t config{0};
    if (rocprofiler_create_counter_config(agent, &counters[i], 1, &config) == ROCPROFILER_STATUS_SUCCESS)
      configs[agent.handle] = config;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t add_agents(rocprofiler_agent_version_t, const void** agents, std::size_t count, void*) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto* agent = static_cast<const rocprofiler_agent_v0_t*>(agents[i]);
    if (agent->type == ROCPROFILER_AGENT_TYPE_GPU)
      rocprofiler_iterate_agent_supported_counters(agent->id, add_config, nullptr);
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

void choose(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_config_id_t* config,
            rocprofiler_user_data_t*, void*) {
  *config = configs.at(data.dispatch_info.agent_id.handle);
}

void record(rocprofiler_dispatch_counting_service_data_t, rocprofiler_counter_record_t* values, std::size_t count,
            rocprofiler_user_data_t, void*) {
  ++records;
  for (std::size_t i = 0; i < count; ++i) waves += static_cast<unsigned>(values[i].counter_value);
}

int initialize(rocprofiler_client_finalize_t, void*) {
  rocprofiler_context_id_t context{0};
  rocprofiler_create_context(&context);
  rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, add_agents, sizeof(rocprofiler_agent_v0_t),
                                     nullptr);
  const int counting =
      rocprofiler_configure_callback_dispatch_counting_service(context, choose, nullptr, record, nullptr);
  int replay = -1;
  const char* wish = std::getenv("SECOND_TOOL");
  if (wish != nullptr && std::strcmp(wish, "replay") == 0)
    replay = rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, nullptr, 0,
        [](rocprofiler_callback_tracing_record_t, rocprofiler_user_data_t*, void*) {}, nullptr);
  const int started = rocprofiler_start_context(context);
  std::fprintf(stderr, "second tool: counting %d replay %d start %d\n", counting, replay, started);
  return 0;
}

void finalize(void*) {
  std::fprintf(stderr, "second tool: %u records %u waves\n", records.load(), waves.load());
}

rocprofiler_tool_configure_result_t result{sizeof(result), &initialize, &finalize, nullptr};

}  // namespace

rocprofiler_tool_configure_result_t* rocprofiler_configure(std::uint32_t, const char*, std::uint32_t,
                                                           rocprofiler_client_id_t* id) {
  id->name = "second tool";
  return &result;
}
