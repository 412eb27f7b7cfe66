// SPDX-License-Identifier: MIT
//
// The C functions of the SDK that a counting and replay tool calls, answered from the recording. Those that are not
// here are in no recording.
#include <cstring>
#include <string>
#include <vector>

#include "sdk/abi/rocprofiler.h"
#include "sim/play/player.hpp"
#include "sim/sdk/kinds.hpp"

using multipass_sim::play::Agent;
using multipass_sim::play::Counter;
using multipass_sim::play::Kind;
using multipass_sim::play::player;

namespace {

rocprofiler_status_t give(const char* found, const char** name, std::uint64_t* length, rocprofiler_status_t missing) {
  if (name != nullptr) *name = found;
  if (length != nullptr) *length = found == nullptr ? 0 : std::strlen(found);
  return found == nullptr ? missing : ROCPROFILER_STATUS_SUCCESS;
}

// `memory` is where the agent has its bank, of which the clock is recorded.
rocprofiler_agent_v0_t agent_info(const Agent& agent, std::size_t index, int of_type,
                                  rocprofiler_agent_mem_bank_t& memory) {
  const auto number = [&](const char* name) {
    const auto found = agent.numbers.find(name);
    return found == agent.numbers.end() ? 0 : found->second;
  };
  rocprofiler_agent_v0_t info{};
  info.size = sizeof(info);
  info.id = player().handle(index);
  info.type = agent.gpu ? ROCPROFILER_AGENT_TYPE_GPU : ROCPROFILER_AGENT_TYPE_CPU;
  info.name = info.product_name = info.model_name = agent.name.c_str();
  info.vendor_name = "";
  info.node_id = agent.node;
  info.logical_node_id = static_cast<std::int32_t>(index);
  info.logical_node_type_id = of_type;
  info.cu_count = number("cu_count");
  info.simd_count = number("simd_count");
  info.simd_per_cu = number("simd_per_cu");
  info.wave_front_size = number("wave_front_size");
  info.num_xcc = number("num_xcc");
  info.num_shader_banks = number("num_shader_banks");
  info.max_waves_per_simd = number("max_waves_per_simd");
  info.max_waves_per_cu = number("max_waves_per_cu");
  info.max_engine_clk_fcompute = number("max_engine_clk_fcompute");
  memory.mem_clk_max = number("mem_clk_max");
  info.mem_banks = &memory;
  info.mem_banks_count = memory.mem_clk_max == 0 ? 0 : 1;
  info.local_mem_size = agent.local_mem_size;
  return info;
}

}  // namespace

rocprofiler_status_t rocprofiler_get_version(uint32_t* major, uint32_t* minor, uint32_t* patch) {
  if (major != nullptr) *major = player().recording().major;
  if (minor != nullptr) *minor = player().recording().minor;
  if (patch != nullptr) *patch = player().recording().patch;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t* ts) {
  *ts = player().now();
  return ROCPROFILER_STATUS_SUCCESS;
}

const char* rocprofiler_get_status_name(rocprofiler_status_t status) {
  return multipass_sim::status_name(status);
}

// ---- Kinds ----

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kinds(rocprofiler_callback_tracing_kind_cb_t callback,
                                                                void* data) {
  for (const Kind& kind : player().recording().kinds) {
    if (callback(static_cast<rocprofiler_callback_tracing_kind_t>(kind.number), data) != 0) break;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t number,
                                                                  const char** name, uint64_t* length) {
  const Kind* kind = player().recording().kind(static_cast<int>(number));
  return give(kind == nullptr ? nullptr : kind->name.c_str(), name, length, ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
    rocprofiler_callback_tracing_kind_t number, rocprofiler_callback_tracing_kind_operation_cb_t callback, void* data) {
  const Kind* kind = player().recording().kind(static_cast<int>(number));
  for (std::size_t i = 0; kind != nullptr && i < kind->operations.size(); ++i) {
    if (callback(number, static_cast<rocprofiler_tracing_operation_t>(i), data) != 0) break;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_callback_tracing_kind_operation_name(rocprofiler_callback_tracing_kind_t number,
                                                                            rocprofiler_tracing_operation_t operation,
                                                                            const char** name, uint64_t* length) {
  const Kind* kind = player().recording().kind(static_cast<int>(number));
  const bool known = kind != nullptr && operation >= 0 && static_cast<std::size_t>(operation) < kind->operations.size();
  return give(known ? kind->operations[static_cast<std::size_t>(operation)].c_str() : nullptr, name, length,
              ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
}

// ---- Agents and counters ----

rocprofiler_status_t rocprofiler_query_available_agents(rocprofiler_agent_version_t version,
                                                        rocprofiler_query_available_agents_cb_t callback, size_t size,
                                                        void* user_data) {
  if (size > sizeof(rocprofiler_agent_v0_t)) return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
  std::vector<rocprofiler_agent_v0_t> infos;
  std::vector<rocprofiler_agent_mem_bank_t> memories(player().recording().agents.size());
  int gpus = 0;
  int cpus = 0;
  for (const Agent& agent : player().recording().agents) {
    infos.push_back(agent_info(agent, infos.size(), agent.gpu ? gpus++ : cpus++, memories[infos.size()]));
  }
  std::vector<const void*> pointers;
  for (const auto& info : infos) pointers.push_back(&info);
  return callback(version, pointers.data(), pointers.size(), user_data);
}

rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(rocprofiler_agent_id_t id,
                                                                  rocprofiler_available_counters_cb_t callback,
                                                                  void* user_data) {
  const auto index = player().agent(id);
  if (!index) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
  std::vector<rocprofiler_counter_id_t> ids;
  for (const Counter& counter : player().recording().agents[*index].counters) ids.push_back({counter.id});
  if (ids.empty()) return ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED;
  return callback(id, ids.data(), ids.size(), user_data);
}

rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t id,
                                                    rocprofiler_counter_info_version_id_t version, void* info) {
  if (version != ROCPROFILER_COUNTER_INFO_VERSION_0) return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
  const Counter* counter = player().counter(id.handle);
  if (counter == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
  rocprofiler_counter_info_v0_t made{};
  made.id = id;
  made.name = counter->name.c_str();
  made.description = "";
  made.block = counter->block.c_str();
  made.expression = counter->expression.c_str();
  made.is_constant = counter->constant ? 1 : 0;
  made.is_derived = counter->derived ? 1 : 0;
  *static_cast<rocprofiler_counter_info_v0_t*>(info) = made;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_counter_instance_count(rocprofiler_agent_id_t, rocprofiler_counter_id_t id,
                                                              size_t* count) {
  const Counter* counter = player().counter(id.handle);
  if (counter == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
  *count = counter->instances;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t id,
                                                         rocprofiler_counter_id_t* counter_id) {
  counter_id->handle = id >> 48U;
  return ROCPROFILER_STATUS_SUCCESS;
}

// A recording does not say how instances are numbered.
rocprofiler_status_t rocprofiler_iterate_counter_dimensions(rocprofiler_counter_id_t id,
                                                            rocprofiler_available_dimensions_cb_t, void*) {
  return player().counter(id.handle) == nullptr ? ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND
                                                : ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_query_record_dimension_position(rocprofiler_counter_instance_id_t,
                                                                 rocprofiler_counter_dimension_id_t, size_t*) {
  return ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
                                                       rocprofiler_counter_id_t* counters, size_t count,
                                                       rocprofiler_counter_config_id_t* config) {
  const auto agent = player().agent(agent_id);
  if (!agent) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(counters[i].handle);
  return player().create_config(*agent, ids, config->handle);
}

rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t) {
  return ROCPROFILER_STATUS_SUCCESS;
}

// The counters of the recording are those that there were with the definitions.
rocprofiler_status_t rocprofiler_load_counter_definition(const char*, size_t, rocprofiler_counter_flag_t) {
  return ROCPROFILER_STATUS_SUCCESS;
}

// ---- Contexts and services ----

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t* context) {
  context->handle = player().create_context();
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context) {
  return player().start(context.handle);
}

// What comes behind it is in the recording or not.
rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t) {
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_callback_tracing_service(rocprofiler_context_id_t context,
                                                                    rocprofiler_callback_tracing_kind_t kind,
                                                                    const rocprofiler_tracing_operation_t* operations,
                                                                    size_t count,
                                                                    rocprofiler_callback_tracing_cb_t callback,
                                                                    void* arg) {
  multipass_sim::play::Tracing tracing{context.handle, static_cast<int>(kind), {}, callback, arg};
  if (operations != nullptr) tracing.operations.assign(operations, operations + count);
  return player().trace(std::move(tracing));
}

rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context, rocprofiler_dispatch_counting_service_cb_t choose, void* choose_arg,
    rocprofiler_dispatch_counting_record_cb_t record, void* record_arg) {
  player().count({context.handle, choose, choose_arg, record, record_arg});
  return ROCPROFILER_STATUS_SUCCESS;
}

// The mark by which the plugin knows that no real SDK is there.
extern "C" ROCPROFILER_ABI const int rocprofiler_multipass_simulated;
extern "C" const int rocprofiler_multipass_simulated = 1;
