// SPDX-License-Identifier: MIT
//
// Rows of agents and of their planned counters, and what dispatches need to know of them afterwards.
// Owner: RocpdSink; the database outlives it. One thread. Errors: Status that names the agent.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.hpp"
#include "model/agent.hpp"
#include "model/plan.hpp"
#include "output/rocpd/canonical.hpp"
#include "output/rocpd/insert.hpp"

namespace multipass::output::rocpd {

// An agent as the other tables see it.
struct AgentEntry {
  std::int64_t id = 0;  // row of info_agent: the node id, as in rocprofv3's files
  PlannedCounters planned;
  std::vector<std::int64_t> pmc_ids;  // row of info_pmc, by CounterIndex
};

class AgentRows final {
 public:
  AgentRows(Database& database, const Naming& naming, std::int64_t node_id, std::int64_t process_id);

  Status add(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan);
  // Null when no such agent was added.
  [[nodiscard]] const AgentEntry* find(AgentIndex index) const;

 private:
  Status add_counter(const AgentInfo& agent, const CounterInfo& counter, AgentEntry& entry);

  std::int64_t node_id_;
  std::int64_t process_id_;
  std::int64_t next_pmc_id_ = 1;  // 0 crashed a reader (roc-optiq #988)
  std::unordered_map<AgentIndex, AgentEntry> agents_;
  Insert agent_;
  Insert pmc_;
};

}  // namespace multipass::output::rocpd
