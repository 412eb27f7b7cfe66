// SPDX-License-Identifier: MIT
//
// What is known of an agent and of its counters, as read from the SDK or from a catalogue file.
// Plain data; immutable after start-up, then shared by all threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ids.hpp"

namespace multipass {

enum class AgentType : std::uint8_t { kCpu, kGpu };

struct AgentInfo {
  AgentIndex index;
  AgentType type = AgentType::kGpu;
  std::uint32_t device = 0;  // ordinal among GPU agents by node id; meaningless for a CPU
  std::uint32_t node_id = 0;
  std::int32_t logical_node_id = 0;
  std::int32_t logical_node_type_id = 0;
  std::string name;  // architecture for a GPU ("gfx942"), "CPU..." text for a CPU
  std::string vendor_name;
  std::string product_name;
  std::string model_name;
  std::uint32_t device_id = 0;  // PCI device id
  std::string uuid;             // 32 hex digits, empty when unknown
  std::uint32_t cu_count = 0;
  std::uint32_t simd_count = 0;
  std::uint32_t simd_per_cu = 0;
  std::uint32_t wave_front_size = 0;
  std::uint32_t num_xcc = 0;
  std::uint32_t num_shader_banks = 0;
  std::uint32_t max_waves_per_simd = 0;
  std::uint32_t max_waves_per_cu = 0;
  std::uint32_t max_engine_clk_fcompute = 0;  // MHz
  std::uint32_t mem_clk_max = 0;              // MHz, of the fastest memory bank; 0: unknown
  std::string memory_partition;               // as the driver calls the mode: "NPS1"; empty: unknown, or it has none
  std::uint64_t local_mem_size = 0;           // bytes
  friend bool operator==(const AgentInfo&, const AgentInfo&) = default;
};

// A dimension of the instances of a counter.
struct CounterDimension {
  std::string name;  // "DIMENSION_XCC"
  std::uint64_t size = 0;
  friend bool operator==(const CounterDimension&, const CounterDimension&) = default;
};

struct CounterInfo {
  std::string name;
  std::string description;
  std::string block;       // hardware block, empty for derived counters and constants
  std::string expression;  // how a derived counter is formed, empty otherwise
  bool is_constant = false;
  bool is_derived = false;
  std::uint64_t instances = 1;
  // As the SDK lists them, the first changes fastest; asked for only where instances are kept.
  std::vector<CounterDimension> dimensions{};
  friend bool operator==(const CounterInfo&, const CounterInfo&) = default;
};

// One register of a hardware block that a pass programs: a base counter, or an accumulation of one.
// Two requests with an equal key share the register.
struct RegisterKey {
  std::string block;
  std::string name;  // "TCC_HIT", or "SQ_LEVEL_WAVES@HIGH_RES" for accumulate(SQ_LEVEL_WAVES, HIGH_RES)
  friend auto operator<=>(const RegisterKey&, const RegisterKey&) = default;
};

// Everything the planner needs to know of one agent. `slots` are the registers of each block that one pass may use.
struct AgentCatalogue {
  AgentInfo agent;
  std::map<std::string, CounterInfo> counters;                    // by name
  std::map<std::string, std::vector<RegisterKey>> register_keys;  // by counter name, sorted, without duplicates
  std::map<std::string, std::uint32_t> slots;                     // by block
};

}  // namespace multipass
