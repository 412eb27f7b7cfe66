// SPDX-License-Identifier: MIT
//
// What is to be written of a dispatch: the canonical choice (output/canonical.hpp), what is missing, and whether the
// record contradicts itself. Pure functions on plain data; the rows are written elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "model/dispatch.hpp"
#include "model/plan.hpp"
#include "output/canonical.hpp"

namespace multipass::output::rocpd {

// A counter that a pass was to deliver.
struct PlannedCounter {
  std::string name;
  std::size_t index = 0;  // CounterIndex; PlannedCounters::names.size() when the agent's list lacks it
};

// The planned counters of one agent.
struct PlannedCounters {
  std::vector<std::string> names;                     // by CounterIndex
  std::vector<std::vector<PlannedCounter>> by_group;  // by GroupIndex
  CounterRoles roles;                                 // what the plan says of each name

  // Fills by_group and roles from the plan; `names` must be complete.
  void plan_passes(const AgentPlan& plan);
};

// One execution of a dispatch as it is to be written.
struct PassSelection {
  const PassRecord* record = nullptr;
  std::vector<bool> canonical;            // by position in record->counters
  std::vector<std::string_view> missing;  // planned for this execution and not delivered
};

struct DispatchSelection {
  std::vector<PassSelection> passes;   // by pass, executions outside a replay loop first
  std::optional<DispatchTimes> times;  // start and end of the dispatch; empty: no time is known
  bool complete = false;               // every requested counter of the agent has a reading
};

// Points into `dispatch` and `planned`. Fails when the record contradicts itself: a pass or a counter of a pass twice,
// a counter that the agent does not have, lists of different length.
Result<DispatchSelection> select_readings(const DispatchRecord& dispatch, const PlannedCounters& planned);

}  // namespace multipass::output::rocpd
