// SPDX-License-Identifier: MIT
//
// A simulated GPU's counters: which there are, what fits one configuration, and what they read after an execution.
// Loaded from devices/<name>.json. Immutable after load; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/interface/activity.h"

namespace multipass_sim {

struct CounterDefinition;

struct Dimension {
  // SDK dimension number: XCC 1, AID 2, SHADER_ENGINE 3, AGENT 4, SHADER_ARRAY 5, WGP 6, INSTANCE 7
  std::uint32_t id = 0;
  std::string name;  // "DIMENSION_XCC"
  std::uint32_t size = 1;
};

struct Counter {
  std::uint32_t id = 0;  // unique over all simulated architectures; 16 bits
  std::string name;
  std::string description;
  std::string block;       // "" for derived counters and constants
  std::string expression;  // "" for base counters; "generic(TCC_HIT, ...)" for derived ones without a formula
  bool is_constant = false;
  bool is_derived = false;
  std::vector<Dimension> dimensions;  // earlier-listed dimensions change fastest
  [[nodiscard]] std::uint64_t instances() const noexcept;
};

// The agent as the SDK describes it. Names as in rocprofiler_agent_v0_t.
struct AgentProperties {
  std::string name, vendor_name, product_name, model_name;
  std::uint32_t cu_count = 0, simd_count = 0, simd_per_cu = 0, wave_front_size = 0, num_xcc = 0, num_shader_banks = 0,
                simd_arrays_per_engine = 0, cu_per_simd_array = 0, array_count = 0, cu_per_engine = 0,
                max_waves_per_simd = 0, max_waves_per_cu = 0, gfx_target_version = 0, lds_size_in_kb = 0, device_id = 0,
                vendor_id = 0, max_engine_clk_fcompute = 0,
                mem_clk_max = 0;  // MHz, of the one memory bank; 0: the agent lists none
  std::uint64_t local_mem_size = 0;
};

struct InstanceValue {
  std::uint64_t instance_id = 0;  // SDK packing: counter in bits 63..48, dimension d in bits [6(d-1), 6d)
  double value = 0;
};

enum class Fit {
  kFits,
  kRefused,    // more registers of a block than it has slots: create_counter_config answers 38
  kOverflows,  // accepted, but needs registers that there are not: the first dispatch ends the process
};

class DeviceModel {
 public:
  // Throws std::runtime_error that names the file and what is wrong with it.
  static DeviceModel load(const std::string& path);

  // This device with further derived counters; their ids and names must be free. Reads the file again.
  // Throws std::runtime_error that names the file or the place of the definition, and what is wrong.
  [[nodiscard]] DeviceModel with(const std::vector<CounterDefinition>& definitions) const;

  [[nodiscard]] const AgentProperties& agent() const noexcept;
  // False: the SDK lists the GPU but knows no counters for its architecture; then `counters` is empty.
  [[nodiscard]] bool countable() const noexcept;
  [[nodiscard]] const std::vector<Counter>& counters() const noexcept;
  [[nodiscard]] const Counter* find(std::uint32_t id) const noexcept;
  [[nodiscard]] const Counter* find(std::string_view name) const noexcept;

  // Whether one configuration can hold these counters; constants cost nothing, duplicates count once.
  [[nodiscard]] Fit fit(const std::vector<std::uint32_t>& counter_ids) const;

  // One value per instance, in instance order: a total spread so that the sum is exact, or what each of them counts.
  [[nodiscard]] std::vector<InstanceValue> read(const Counter& counter, const multipass_sim_activity& activity,
                                                std::string_view kernel_name) const;

 private:
  struct State;
  static DeviceModel load(const std::string& path, const std::vector<CounterDefinition>& definitions);
  explicit DeviceModel(std::shared_ptr<const State> state) noexcept;

  std::shared_ptr<const State> state_;  // immutable, so copies share it
};

}  // namespace multipass_sim
