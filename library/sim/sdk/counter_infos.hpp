// SPDX-License-Identifier: MIT
//
// The counters of all simulated GPUs in the shape that the SDK hands out: info structs, dimensions and instances.
// Owner: Sdk. Built per counter when it is first asked for; what a pointer leads to stays for ever. Any thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "sdk/abi/rocprofiler.h"
#include "sim/sdk/agents.hpp"

namespace multipass_sim {

// The C arrays of one counter.
struct CounterView {
  const Counter* counter = nullptr;
  std::vector<rocprofiler_counter_record_dimension_info_t> dimensions;
  std::vector<const rocprofiler_counter_record_dimension_info_t*> dimension_pointers;
  std::vector<rocprofiler_counter_dimension_info_t> positions;  // instances x dimensions
  std::vector<const rocprofiler_counter_dimension_info_t*> position_pointers;
  std::vector<rocprofiler_counter_record_dimension_instance_info_t> instances;
  std::vector<const rocprofiler_counter_record_dimension_instance_info_t*> instance_pointers;

  explicit CounterView(const Counter& source);
  CounterView(const CounterView&) = delete;
  CounterView& operator=(const CounterView&) = delete;
};

class CounterInfos final {
 public:
  explicit CounterInfos(Agents& agents) : agents_(agents) {}

  // From now on the counters stay as they are. To be called before an agent's model is looked at.
  void read_definitions();
  // Adds a tool's derived counters, in place of an earlier text. Only before the first counter is read.
  [[nodiscard]] rocprofiler_status_t load_definitions(std::string_view text, rocprofiler_counter_flag_t flags);
  [[nodiscard]] const std::vector<Counter>& counters_of(const Agent& gpu);

  // The counter whatever architecture it belongs to; nullptr when no simulated GPU has it.
  [[nodiscard]] const Counter* find(rocprofiler_counter_id_t id);
  [[nodiscard]] const CounterView* view(rocprofiler_counter_id_t id);

  [[nodiscard]] std::optional<rocprofiler_counter_info_v0_t> info_v0(rocprofiler_counter_id_t id);
  [[nodiscard]] std::optional<rocprofiler_counter_info_v1_t> info_v1(rocprofiler_counter_id_t id);

  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  Agents& agents_;
  std::atomic<bool> definitions_read_{false};
  std::mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<CounterView>> views_;
};

}  // namespace multipass_sim
