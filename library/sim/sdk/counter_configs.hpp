// SPDX-License-Identifier: MIT
//
// Counter configurations: which counters one dispatch of one agent reads. Owner: Sdk. Any thread; a configuration is
// immutable and stays alive for the dispatches that use it, also when its handle is destroyed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sdk/abi/rocprofiler.h"
#include "sim/sdk/agents.hpp"
#include "sim/sdk/counter_infos.hpp"

namespace multipass_sim {

struct CounterConfig {
  const Agent* agent = nullptr;
  std::vector<const Counter*> counters;  // without duplicates, in the order of the request
  bool overflows = false;                // was accepted, cannot run
};

class CounterConfigs final {
 public:
  CounterConfigs(Agents& agents, CounterInfos& infos) : agents_(agents), infos_(infos) {}

  // Unknown agent 7, unknown counter 8, counter of another architecture or CPU agent 20, too many 38. A handle that is
  // not 0 on entry asks for a merge with that configuration (an unknown one is ignored). Written on success only.
  rocprofiler_status_t create(rocprofiler_agent_id_t agent, const rocprofiler_counter_id_t* counters, std::size_t count,
                              rocprofiler_counter_config_id_t* id);
  void destroy(rocprofiler_counter_config_id_t id);
  [[nodiscard]] std::shared_ptr<const CounterConfig> find(rocprofiler_counter_config_id_t id) const;

  [[nodiscard]] std::mutex& mutex() const noexcept { return mutex_; }

 private:
  rocprofiler_status_t add_counter(CounterConfig& config, rocprofiler_counter_id_t id);

  Agents& agents_;
  CounterInfos& infos_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const CounterConfig>> configs_;
  std::uint64_t last_ = 0;
};

}  // namespace multipass_sim
