// SPDX-License-Identifier: MIT
//
// The agents of the simulated machine: one CPU as node 0, then the simulated GPUs as nodes 1, 2, ...
// Owner: Sdk. Read once, on first use, from the list of simulated devices; immutable afterwards, but for the models
// until the first counter is read (CounterInfos, whose lock guards the change); any thread.
// A device list that cannot be read is one line on stderr and no GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/abi/rocprofiler.h"
#include "sim/counters/device_model.hpp"
#include "sim/sdk/faults.hpp"

namespace multipass_sim {

struct Agent {
  rocprofiler_agent_v0_t info{};
  rocprofiler_agent_mem_bank_t memory{};     // the one bank, where its clock is known
  std::shared_ptr<const DeviceModel> model;  // empty for the CPU, and for a GPU without counters
  std::shared_ptr<const DeviceModel> plain;  // `model` without what a tool defined
  std::size_t device = 0;                    // position in the device list; GPUs only
  std::string name, vendor_name, product_name, model_name;
};

class Agents final {
 public:
  explicit Agents(Faults& faults) : faults_(faults) {}

  [[nodiscard]] const std::vector<std::unique_ptr<Agent>>& all();
  [[nodiscard]] const Agent* find(rocprofiler_agent_id_t id);
  [[nodiscard]] const Agent* gpu(std::size_t device);  // nullptr past the end
  // The GPU at this position in the device list; the CPU for any other number.
  [[nodiscard]] const Agent& of_device(std::int32_t device);
  // Adds a tool's derived counters to the devices' own, in place of those added before. Throws std::runtime_error, and
  // then changes nothing.
  void define_counters(std::string_view text);
  [[nodiscard]] std::size_t gpu_count() { return all().size() - 1; }

 private:
  void load();
  void add_cpu();
  void add_gpu(std::shared_ptr<const DeviceModel> model);
  Agent& add(std::uint32_t agent_type);

  Faults& faults_;
  std::once_flag loaded_;
  std::uint64_t base_ = 0;  // of the handles, different in every process
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace multipass_sim
