// SPDX-License-Identifier: MIT
//
// The agents, and for each GPU the configuration of every pass: what is settled before the first kernel. Made once,
// inside the SDK's initialize call, on its thread; immutable afterwards. Errors: sentences in `warnings`, never fatal;
// throws std::bad_alloc only.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/agent.hpp"
#include "model/plan.hpp"

namespace adoption {

struct AgentProfiles {
  multipass::AgentInfo info;
  std::uint64_t handle = 0;                                  // of the SDK
  multipass::AgentPlan plan;                                 // no passes: nothing is counted on this agent
  std::vector<std::uint64_t> configs;                        // one a pass
  std::vector<multipass::CounterInfo> counters;              // planned ones; a CounterIndex is the position
  std::vector<std::vector<multipass::CounterIndex>> groups;  // of each pass
  std::unordered_map<std::uint64_t, multipass::CounterIndex> counter_of;  // by the SDK's id
};

// All agents, CPUs too, by node id: agents[i] has AgentIndex i.
std::vector<AgentProfiles> make_profiles(const std::string& events, std::vector<std::string>& warnings);

}  // namespace adoption
