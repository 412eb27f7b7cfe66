// SPDX-License-Identifier: MIT
#include "sim/sdk/agents.hpp"

#include <sys/sysinfo.h>

#include <utility>

#include "sim/counters/definitions.hpp"
#include "sim/counters/device_list.hpp"
#include "sim/sdk/clock.hpp"
#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim {

namespace {

void point_at_strings(Agent& agent) {
  agent.info.name = agent.name.c_str();
  agent.info.vendor_name = agent.vendor_name.c_str();
  agent.info.product_name = agent.product_name.c_str();
  agent.info.model_name = agent.model_name.c_str();
}

void copy_properties(const AgentProperties& from, rocprofiler_agent_v0_t& to) {
  to.cu_count = from.cu_count;
  to.simd_count = from.simd_count;
  to.simd_per_cu = from.simd_per_cu;
  to.wave_front_size = from.wave_front_size;
  to.num_xcc = from.num_xcc;
  to.num_shader_banks = from.num_shader_banks;
  to.simd_arrays_per_engine = from.simd_arrays_per_engine;
  to.cu_per_simd_array = from.cu_per_simd_array;
  to.array_count = from.array_count;
  to.cu_per_engine = from.cu_per_engine;
  to.max_waves_per_simd = from.max_waves_per_simd;
  to.max_waves_per_cu = from.max_waves_per_cu;
  to.gfx_target_version = from.gfx_target_version;
  to.lds_size_in_kb = from.lds_size_in_kb;
  to.device_id = static_cast<std::uint16_t>(from.device_id);
  to.vendor_id = static_cast<std::uint16_t>(from.vendor_id);
  to.max_engine_clk_fcompute = from.max_engine_clk_fcompute;
  to.local_mem_size = from.local_mem_size;
}

}  // namespace

const std::vector<std::unique_ptr<Agent>>& Agents::all() {
  std::call_once(loaded_, [this] { load(); });
  return agents_;
}

const Agent* Agents::find(rocprofiler_agent_id_t id) {
  for (const auto& agent : all()) {
    if (agent->info.id.handle == id.handle) return agent.get();
  }
  return nullptr;
}

const Agent* Agents::gpu(std::size_t device) {
  return device < gpu_count() ? all()[device + 1].get() : nullptr;
}

const Agent& Agents::of_device(std::int32_t device) {
  const Agent* const found = device < 0 ? nullptr : gpu(static_cast<std::size_t>(device));
  return found == nullptr ? *all().front() : *found;
}

void Agents::define_counters(std::string_view text) {
  std::vector<std::shared_ptr<const DeviceModel>> plain;
  for (const auto& agent : all()) plain.push_back(agent->plain);
  std::vector<std::shared_ptr<const DeviceModel>> extended = with_definitions(plain, text);
  for (std::size_t i = 0; i < extended.size(); ++i) agents_[i]->model = std::move(extended[i]);
}

void Agents::load() {
  base_ = (static_cast<std::uint64_t>(random_u32()) << 8U);
  add_cpu();
  std::string error;
  for (SimulatedDevice& device : simulated_devices(error)) add_gpu(device.model);
  if (!error.empty()) warn(error);
}

Agent& Agents::add(std::uint32_t agent_type) {
  const auto index = static_cast<std::uint32_t>(agents_.size());
  agents_.push_back(std::make_unique<Agent>());
  Agent& agent = *agents_.back();
  rocprofiler_agent_v0_t& info = agent.info;
  info.size = sizeof(info);
  info.id.handle = base_ + index;
  info.type = static_cast<rocprofiler_agent_type_t>(agent_type);
  info.node_id = index;
  info.logical_node_id = static_cast<std::int32_t>(index);
  info.logical_node_type_id = index == 0 ? 0 : static_cast<std::int32_t>(index - 1);
  info.runtime_visibility.hsa = 1;
  info.runtime_visibility.hip = index == 0 ? 0 : 1;
  for (std::size_t byte = 0; byte < sizeof(info.uuid.bytes); ++byte) {
    info.uuid.bytes[byte] = static_cast<std::uint8_t>(0xA0U + index + 7U * byte);
  }
  return agent;
}

void Agents::add_cpu() {
  Agent& cpu = add(ROCPROFILER_AGENT_TYPE_CPU);
  cpu.name = "Simulated host";
  cpu.vendor_name = "CPU";
  cpu.product_name = cpu.name;
  point_at_strings(cpu);
  cpu.info.cpu_cores_count = static_cast<std::uint32_t>(get_nprocs());
}

void Agents::add_gpu(std::shared_ptr<const DeviceModel> model) {
  Agent& gpu = add(ROCPROFILER_AGENT_TYPE_GPU);
  const AgentProperties& properties = model->agent();
  gpu.device = agents_.size() - 2;
  gpu.name = properties.name;
  gpu.vendor_name = properties.vendor_name;
  gpu.product_name = properties.product_name;
  gpu.model_name = properties.model_name;
  point_at_strings(gpu);
  copy_properties(properties, gpu.info);
  if (properties.mem_clk_max != 0) {
    gpu.memory.mem_clk_max = properties.mem_clk_max;
    gpu.memory.size_in_bytes = properties.local_mem_size;
    gpu.info.mem_banks = &gpu.memory;
    gpu.info.mem_banks_count = 1;
  }
  gpu.info.gpu_id = 0x5100U + gpu.device;
  gpu.info.location_id = static_cast<std::uint32_t>(0x100U * (gpu.device + 1));
  gpu.info.drm_render_minor = static_cast<std::uint32_t>(128U + gpu.device);
  gpu.info.workgroup_max_size = 1024;
  gpu.info.grid_max_size = UINT32_MAX;
  gpu.info.workgroup_max_dim = {1024, 1024, 1024};
  gpu.info.grid_max_dim = {INT32_MAX, UINT16_MAX, UINT16_MAX};
  if (!model->countable() || faults_.on_agent(Fault::kAgentUnsupported, gpu.device)) return;
  gpu.plain = std::move(model);
  gpu.model = gpu.plain;
}

}  // namespace multipass_sim
