// SPDX-License-Identifier: MIT
#include "sim/hip/device_info.hpp"

#include <algorithm>

#include "sim/counters/device_list.hpp"
#include "sim/hip/message.hpp"

namespace multipass_sim {
namespace {

constexpr std::uint32_t kDefaultWaveSize = 64;
constexpr std::size_t kDefaultLdsKib = 64;

DeviceInfo describe(const SimulatedDevice& device) {
  const AgentProperties& agent = device.model->agent();
  DeviceInfo info;
  info.name = device.name;
  info.product_name = agent.product_name;
  info.geometry.wave_size = agent.wave_front_size != 0 ? agent.wave_front_size : kDefaultWaveSize;
  info.geometry.simds = std::max(1U, agent.simd_count);
  info.compute_units = std::max(1U, agent.cu_count);
  info.waves_per_compute_unit = std::max(1U, agent.max_waves_per_cu);
  info.clock_mhz = agent.max_engine_clk_fcompute;
  info.gfx_target_version = agent.gfx_target_version;
  info.memory_bytes = agent.local_mem_size;
  info.lds_bytes = (agent.lds_size_in_kb != 0 ? agent.lds_size_in_kb : kDefaultLdsKib) * 1024;
  return info;
}

}  // namespace

std::vector<DeviceInfo> find_devices() {
  std::string error;
  std::vector<DeviceInfo> devices;
  for (const SimulatedDevice& device : simulated_devices(error)) devices.push_back(describe(device));
  if (!error.empty()) print_message(error);
  return devices;
}

}  // namespace multipass_sim
