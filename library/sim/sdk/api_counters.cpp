// SPDX-License-Identifier: MIT
//
// C functions: agents, counters and counter configurations. None of them is gated.
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "sim/sdk/diagnostics.hpp"

#include "sim/sdk/sdk.hpp"

using multipass_sim::Fault;
using multipass_sim::sdk;

namespace {

// With the fault ids_tagged, tools see the counter's number below and the node of the agent above; what they hand in is
// taken apart again.
constexpr unsigned kTagShift = 32;

std::uint64_t tagged(std::uint64_t id, const multipass_sim::Agent& agent) {
  return sdk().faults.on(Fault::kIdsTagged) ? id | std::uint64_t{agent.info.node_id} << kTagShift : id;
}

// Nothing: no agent has a counter of this id.
std::optional<rocprofiler_counter_id_t> untagged(rocprofiler_counter_id_t id) {
  if (!sdk().faults.on(Fault::kIdsTagged)) return id;
  const std::uint64_t node = id.handle >> kTagShift;
  if (node == 0 || sdk().agents.gpu(node - 1) == nullptr) return std::nullopt;
  return rocprofiler_counter_id_t{id.handle & UINT32_MAX};
}

}  // namespace

rocprofiler_status_t rocprofiler_query_available_agents(rocprofiler_agent_version_t version,
                                                        rocprofiler_query_available_agents_cb_t callback,
                                                        size_t agent_size, void* user_data) {
  if (version != ROCPROFILER_AGENT_INFO_VERSION_0) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (agent_size > sizeof(rocprofiler_agent_v0_t)) return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
  std::vector<const void*> agents;
  for (const auto& agent : sdk().agents.all()) agents.push_back(&agent->info);
  return callback(version, agents.data(), agents.size(), user_data);
}

rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(rocprofiler_agent_id_t agent_id,
                                                                  rocprofiler_available_counters_cb_t callback,
                                                                  void* user_data) {
  sdk().infos.read_definitions();
  const multipass_sim::Agent* agent = sdk().agents.find(agent_id);
  if (agent == nullptr) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
  if (!agent->model) return ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED;
  std::vector<rocprofiler_counter_id_t> ids;
  if (!sdk().faults.on_agent(Fault::kAgentEmpty, agent->device)) {
    for (const multipass_sim::Counter& counter : sdk().infos.counters_of(*agent)) {
      ids.push_back({tagged(counter.id, *agent)});
    }
  }
  return callback(agent_id, ids.data(), ids.size(), user_data);
}

rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t counter_id,
                                                    rocprofiler_counter_info_version_id_t version, void* info) {
  const auto known = untagged(counter_id);
  if (!known) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
  if (version == ROCPROFILER_COUNTER_INFO_VERSION_0) {
    auto found = sdk().infos.info_v0(*known);
    if (!found) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
    found->id = counter_id;
    *static_cast<rocprofiler_counter_info_v0_t*>(info) = *found;
    return ROCPROFILER_STATUS_SUCCESS;
  }
  if (version == ROCPROFILER_COUNTER_INFO_VERSION_1) {
    auto found = sdk().infos.info_v1(*known);
    if (!found) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
    found->id = counter_id;
    // 1.0.0 has no spm_support, and writes a struct that ends before it.
    if (sdk().faults.on(Fault::kSdk100)) found->size = offsetof(rocprofiler_counter_info_v1_t, spm_support);
    std::memcpy(info, &*found, found->size);
    return ROCPROFILER_STATUS_SUCCESS;
  }
  return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
}

rocprofiler_status_t rocprofiler_iterate_counter_dimensions(rocprofiler_counter_id_t id,
                                                            rocprofiler_available_dimensions_cb_t callback,
                                                            void* user_data) {
  const auto known = untagged(id);
  const multipass_sim::CounterView* view = known ? sdk().infos.view(*known) : nullptr;
  if (view == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
  if (sdk().faults.on(Fault::kDimensionsHidden)) return ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND;
  static_cast<void>(callback(id, view->dimensions.data(), view->dimensions.size(), user_data));
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_counter_instance_count(rocprofiler_agent_id_t agent_id,
                                                              rocprofiler_counter_id_t counter_id,
                                                              size_t* instance_count) {
  if (sdk().agents.find(agent_id) == nullptr) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
  const auto known = untagged(counter_id);
  const multipass_sim::Counter* counter = known ? sdk().infos.find(*known) : nullptr;
  if (counter == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
  *instance_count = counter->instances();
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t id,
                                                         rocprofiler_counter_id_t* counter_id) {
  if (sdk().faults.on(Fault::kRecordsMeet) && !sdk().meeting.come(sdk().agents.gpu_count())) {
    multipass_sim::warn("the record callbacks of all GPUs have not met within 20 seconds: one waits for another");
  }
  counter_id->handle = id >> 48U;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_record_dimension_position(rocprofiler_counter_instance_id_t id,
                                                                 rocprofiler_counter_dimension_id_t dim, size_t* pos) {
  constexpr rocprofiler_counter_dimension_id_t kLast = 7;  // INSTANCE
  constexpr std::uint64_t kLow48 = (std::uint64_t{1} << 48U) - 1U;
  if (dim == 0) {
    *pos = id & kLow48;
  } else {
    *pos = dim > kLast ? 0 : (id >> (6U * (dim - 1U))) & 0x3FU;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
                                                       rocprofiler_counter_id_t* counters_list, size_t counters_count,
                                                       rocprofiler_counter_config_id_t* config_id) {
  const multipass_sim::Agent* agent = sdk().agents.find(agent_id);
  if (agent != nullptr && sdk().faults.on_agent(Fault::kConfigDenied, agent->device)) {
    return ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED;
  }
  if (!sdk().faults.on(Fault::kIdsTagged) || agent == nullptr || counters_list == nullptr) {
    return sdk().configs.create(agent_id, counters_list, counters_count, config_id);
  }
  std::vector<rocprofiler_counter_id_t> known;
  for (std::size_t i = 0; i < counters_count; ++i) {
    if (counters_list[i].handle >> kTagShift != agent->info.node_id) {
      return ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT;
    }
    known.push_back({counters_list[i].handle & UINT32_MAX});
  }
  return sdk().configs.create(agent_id, known.data(), known.size(), config_id);
}

rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config_id) {
  sdk().configs.destroy(config_id);
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_load_counter_definition(const char* yaml, size_t size,
                                                         rocprofiler_counter_flag_t flags) {
  if (yaml == nullptr || size == 0) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  return sdk().infos.load_definitions({yaml, size}, flags);
}
