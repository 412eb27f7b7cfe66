// SPDX-License-Identifier: MIT
#include "sdk/inventory.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "sdk/abi/rocprofiler.h"
#include "sdk/memory_partition.hpp"
#include "sdk/recorder.hpp"
#include "sdk/status_text.hpp"
#include "sdk/tracing_kinds.hpp"

namespace multipass::sdk {
namespace {

std::string text(const char* value) {
  return value == nullptr ? std::string() : std::string(value);
}

std::string hex(const rocprofiler_uuid_t& uuid) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : std::span(uuid.bytes)) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out.find_first_not_of('0') == std::string::npos ? std::string() : out;
}

bool is_simulated() {
  return dlsym(RTLD_DEFAULT, "rocprofiler_multipass_simulated") != nullptr;
}

// Of the fastest bank. The SDK leaves out what the driver does not tell, and then the number may be any.
std::uint32_t fastest_memory(const rocprofiler_agent_v0_t& from) {
  constexpr std::uint32_t kHighestMhz = 100'000;
  std::uint32_t fastest = 0;
  if (from.mem_banks == nullptr) return fastest;
  for (const rocprofiler_agent_mem_bank_t& bank : std::span(from.mem_banks, from.mem_banks_count))
    if (bank.mem_clk_max <= kHighestMhz) fastest = std::max(fastest, bank.mem_clk_max);
  return fastest;
}

SdkAgent convert(const rocprofiler_agent_v0_t& from) {
  SdkAgent agent;
  agent.handle = from.id.handle;
  AgentInfo& info = agent.info;
  info.type = from.type == ROCPROFILER_AGENT_TYPE_GPU ? AgentType::kGpu : AgentType::kCpu;
  info.node_id = from.node_id;
  info.logical_node_id = from.logical_node_id;
  info.logical_node_type_id = from.logical_node_type_id;
  info.name = text(from.name);
  info.vendor_name = text(from.vendor_name);
  info.product_name = text(from.product_name);
  info.model_name = text(from.model_name);
  info.device_id = from.device_id;
  info.uuid = hex(from.uuid);
  info.cu_count = from.cu_count;
  info.simd_count = from.simd_count;
  info.simd_per_cu = from.simd_per_cu;
  info.wave_front_size = from.wave_front_size;
  info.num_xcc = from.num_xcc;
  info.num_shader_banks = from.num_shader_banks;
  info.max_waves_per_simd = from.max_waves_per_simd;
  info.max_waves_per_cu = from.max_waves_per_cu;
  info.max_engine_clk_fcompute = from.max_engine_clk_fcompute;
  info.mem_clk_max = fastest_memory(from);
  // A simulated GPU is none of this machine's.
  if (info.type == AgentType::kGpu && !is_simulated())
    info.memory_partition = memory_partition({from.drm_render_minor, from.domain, from.location_id});
  info.local_mem_size = from.local_mem_size;
  return agent;
}

// Called through C by the SDK: nothing may be thrown out of it.
rocprofiler_status_t collect_agents(rocprofiler_agent_version_t, const void** agents, size_t count,
                                    void* out) noexcept {
  try {
    for (const void* agent : std::span(agents, count))
      static_cast<std::vector<SdkAgent>*>(out)->push_back(convert(*static_cast<const rocprofiler_agent_v0_t*>(agent)));
    return ROCPROFILER_STATUS_SUCCESS;
  } catch (...) {
    return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
  }
}

rocprofiler_status_t collect_counters(rocprofiler_agent_id_t, rocprofiler_counter_id_t* counters, size_t count,
                                      void* out) noexcept {
  try {
    for (const rocprofiler_counter_id_t counter : std::span(counters, count))
      static_cast<std::vector<rocprofiler_counter_id_t>*>(out)->push_back(counter);
    return ROCPROFILER_STATUS_SUCCESS;
  } catch (...) {
    return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
  }
}

// Called through C by the SDK: nothing may be thrown out of it.
int collect_kind(rocprofiler_callback_tracing_kind_t kind, void* out) noexcept {
  const char* name = nullptr;
  if (rocprofiler_query_callback_tracing_kind_name(kind, &name, nullptr) != ROCPROFILER_STATUS_SUCCESS) return 0;
  if (name == nullptr) return 0;
  try {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
  } catch (...) {
    return 1;  // ends the list
  }
  return 0;
}

// Nothing when the kind or one of the operations is missing.
std::optional<MarkerKind> find_marker_kind(const char* kind_name, const std::array<const char*, 2>& operations) {
  const std::optional<int> number = find_kind(kind_name);
  if (!number) return std::nullopt;
  MarkerKind kind;
  kind.kind = *number;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::optional<std::int32_t> operation = find_operation(*number, operations[i]);
    if (!operation) return std::nullopt;
    kind.operations[i] = *operation;
  }
  return kind;
}

}  // namespace

SdkIdentity identify() {
  SdkIdentity identity;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;
  if (rocprofiler_get_version(&major, &minor, &patch) == ROCPROFILER_STATUS_SUCCESS) {
    identity.version = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    identity.before_replay = std::tuple{major, minor, patch} < std::tuple{1U, 4U, 1U};
  }
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&rocprofiler_get_version), &info) != 0)
    identity.library = text(info.dli_fname);
  identity.simulated = is_simulated();
  identity.replay_kind = find_kind("KERNEL_REPLAY");
  identity.markers.control = find_marker_kind("MARKER_CONTROL_API", {"roctxProfilerPause", "roctxProfilerResume"});
  identity.markers.ranges = find_marker_kind("MARKER_CORE_RANGE_API", {"roctxThreadRangeA", "roctxProcessRangeA"});
  identity.memory = find_memory_kinds();
  if (Recorder* to = recorder()) to->header(identity);
  return identity;
}

Features query_features() {
  Features features;
  (void)rocprofiler_iterate_callback_tracing_kinds(collect_kind, &features.kinds);
  features.set_agents = dlsym(RTLD_DEFAULT, "rocprofiler_dispatch_counting_service_set_agents") != nullptr;
  return features;
}

Result<std::vector<SdkAgent>> query_agents() {
  std::vector<SdkAgent> agents;
  const rocprofiler_status_t status = rocprofiler_query_available_agents(
      ROCPROFILER_AGENT_INFO_VERSION_0, collect_agents, sizeof(rocprofiler_agent_v0_t), &agents);
  if (status != ROCPROFILER_STATUS_SUCCESS)
    return Status::error("the SDK does not list its agents: " + status_text(status));
  std::sort(agents.begin(), agents.end(),
            [](const SdkAgent& a, const SdkAgent& b) { return a.info.node_id < b.info.node_id; });
  std::uint32_t index = 0;
  std::uint32_t device = 0;
  for (SdkAgent& agent : agents) {
    agent.info.index = AgentIndex{index++};
    if (agent.info.type == AgentType::kGpu) agent.info.device = device++;
    if (Recorder* to = recorder()) to->agent(agent);
  }
  return agents;
}

Result<CounterList> query_counters(const SdkAgent& agent) {
  const rocprofiler_agent_id_t id{agent.handle};
  std::vector<rocprofiler_counter_id_t> ids;
  const rocprofiler_status_t status = rocprofiler_iterate_agent_supported_counters(id, collect_counters, &ids);
  if (status == ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED)
    return CounterList{{}, agent.info.name + " has no counters that this SDK can read: " + status_text(status)};
  if (status != ROCPROFILER_STATUS_SUCCESS)
    return Status::error("the counters of " + agent.info.name + " cannot be listed: " + status_text(status));

  CounterList list;
  list.counters.reserve(ids.size());
  for (const rocprofiler_counter_id_t counter_id : ids) {
    rocprofiler_counter_info_v0_t info{};
    // Version 0 has the same layout in every release; version 1 grew without saying so.
    if (rocprofiler_query_counter_info(counter_id, ROCPROFILER_COUNTER_INFO_VERSION_0, &info) !=
            ROCPROFILER_STATUS_SUCCESS ||
        info.name == nullptr)
      continue;  // a counter that cannot be named cannot be asked for
    SdkCounter& counter = list.counters.emplace_back();
    counter.id = counter_id.handle;
    counter.info.name = info.name;
    counter.info.description = text(info.description);
    counter.info.block = text(info.block);
    counter.info.expression = text(info.expression);
    counter.info.is_constant = info.is_constant != 0;
    counter.info.is_derived = info.is_derived != 0;
    std::size_t instances = 0;
    if (rocprofiler_query_counter_instance_count(id, counter_id, &instances) == ROCPROFILER_STATUS_SUCCESS)
      counter.info.instances = instances;
  }
  if (Recorder* to = recorder()) to->counters(agent, list);
  return list;
}

}  // namespace multipass::sdk
