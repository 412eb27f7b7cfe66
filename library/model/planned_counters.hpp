// SPDX-License-Identifier: MIT
//
// The counters that a plan reads, numbered: what a CounterIndex counts. Pure. Threads: any. Errors: none but
// std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/plan.hpp"

namespace multipass {

struct PlannedCounters {
  std::vector<std::string> names;                 // sorted, each once; a CounterIndex is the position
  std::vector<std::vector<CounterIndex>> groups;  // of each pass, sorted
};

[[nodiscard]] inline PlannedCounters planned_counters(const AgentPlan& plan) {
  PlannedCounters planned;
  std::vector<std::string>& names = planned.names;
  for (const PassPlan& pass : plan.passes) names.insert(names.end(), pass.counters.begin(), pass.counters.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const PassPlan& pass : plan.passes) {
    std::vector<CounterIndex>& group = planned.groups.emplace_back();
    for (const std::string& name : pass.counters)
      group.emplace_back(
          static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin()));
  }
  return planned;
}

}  // namespace multipass
