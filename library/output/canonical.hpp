// SPDX-License-Identifier: MIT
//
// What of a dispatch stands for the whole of it where a reader knows nothing of passes: its times, and one reading of
// each counter. One rule for all writers, so that their files hold equal numbers. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/dispatch.hpp"
#include "model/plan.hpp"

namespace multipass::output {

// True for a reading that has a value. NaN stands for none, and an infinity is no count.
[[nodiscard]] bool is_delivered(double value) noexcept;

// The records of a dispatch by pass, executions outside a replay loop first.
[[nodiscard]] std::vector<const PassRecord*> in_pass_order(const DispatchRecord& dispatch);

// Which times are the dispatch's.
struct DispatchTimes {
  Interval interval;
  const PassRecord* pass = nullptr;  // whose they are; null: of the timing pass

  // "timing pass", "pass 0", or "single run" for an execution outside a replay loop.
  [[nodiscard]] std::string name() const;
};

// Those of the timing pass, which counters do not disturb; without one, those of the first pass. The first of them that
// lasted, else the first with any time; nothing when none has.
[[nodiscard]] std::optional<DispatchTimes> times_of(const DispatchRecord& dispatch,
                                                    const std::vector<const PassRecord*>& in_order);

// What the plan says of the counters of an agent, by CounterIndex.
struct CounterRoles {
  // False for a counter that nobody asked for, being a sentinel in every pass that reads it. One that the plan does not
  // mention counts as requested.
  std::vector<bool> requested;
  // By GroupIndex: true where that pass reads the counter as a sentinel.
  std::vector<std::vector<bool>> as_sentinel;

  [[nodiscard]] bool is_sentinel(GroupIndex group, std::size_t counter) const noexcept {
    return group.value < as_sentinel.size() && counter < as_sentinel[group.value].size() &&
           as_sentinel[group.value][counter];
  }
};

[[nodiscard]] CounterRoles roles_of(const std::vector<std::string>& names, const AgentPlan& plan);

// Where a reading lies.
struct ReadingPlace {
  const PassRecord* pass = nullptr;  // null: the counter has no canonical reading
  std::size_t at = 0;                // position in its counters and values
};

// By CounterIndex, for requested counters: the reading of the lowest pass that delivered the counter, and was planned
// to read it for its own sake: beside the others of its group. Where no such pass delivered it: of the lowest that has
// it as a sentinel. Indices at or above roles.requested.size() are left out.
[[nodiscard]] std::vector<ReadingPlace> canonical_readings(const std::vector<const PassRecord*>& in_order,
                                                           const CounterRoles& roles);

}  // namespace multipass::output
