// SPDX-License-Identifier: MIT
#include "output/rocpd/canonical.hpp"

#include <algorithm>

namespace multipass::output::rocpd {
namespace {

std::string describe(const PassRecord& record) {
  return record.pass ? "pass " + std::to_string(record.pass->value) : "group " + std::to_string(record.group.value);
}

Status check_passes(const std::vector<const PassRecord*>& order) {
  for (std::size_t at = 1; at < order.size(); ++at)
    if (order[at]->pass && order[at]->pass == order[at - 1]->pass)
      return Status::error(describe(*order[at]) + " occurs twice");
  return Status::ok();
}

// `delivered`, by CounterIndex: whether the record has a value of it.
Status check_readings(const PassRecord& record, const PlannedCounters& planned, std::vector<bool>& delivered) {
  if (record.counters.size() != record.values.size())
    return Status::error(describe(record) + " has " + std::to_string(record.counters.size()) + " counters and " +
                         std::to_string(record.values.size()) + " values");
  std::vector<bool> seen(planned.names.size(), false);
  delivered.assign(planned.names.size(), false);
  for (std::size_t at = 0; at < record.counters.size(); ++at) {
    const std::size_t counter = record.counters[at].value;
    if (counter >= planned.names.size())
      return Status::error(describe(record) + " refers to counter " + std::to_string(counter) + " of " +
                           std::to_string(planned.names.size()));
    if (seen[counter]) return Status::error(describe(record) + " has counter " + planned.names[counter] + " twice");
    seen[counter] = true;
    delivered[counter] = is_delivered(record.values[at]);
  }
  return Status::ok();
}

// What this execution was to deliver and did not. A pass beyond the plan has nothing to miss.
std::vector<std::string_view> missing_of(const PassRecord& record, const PlannedCounters& planned,
                                         const std::vector<bool>& delivered) {
  std::vector<std::string_view> missing;
  if (record.group.value >= planned.by_group.size()) return missing;
  for (const PlannedCounter& counter : planned.by_group[record.group.value])
    if (counter.index >= delivered.size() || !delivered[counter.index]) missing.emplace_back(counter.name);
  return missing;
}

}  // namespace

void PlannedCounters::plan_passes(const AgentPlan& plan) {
  by_group.clear();
  for (const PassPlan& pass : plan.passes) {
    std::vector<PlannedCounter>& group = by_group.emplace_back();
    for (const std::string& name : pass.counters)
      group.push_back({name, static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())});
  }
  roles = roles_of(names, plan);
}

Result<DispatchSelection> select_readings(const DispatchRecord& dispatch, const PlannedCounters& planned) {
  const std::vector<const PassRecord*> order = in_pass_order(dispatch);
  if (Status status = check_passes(order); !status) return status;
  DispatchSelection selection;
  selection.times = times_of(dispatch, order);
  std::vector<bool> delivered;
  for (const PassRecord* record : order) {
    if (Status status = check_readings(*record, planned, delivered); !status) return status;
    PassSelection& pass = selection.passes.emplace_back();
    pass.record = record;
    pass.canonical.resize(record->counters.size(), false);
    if (dispatch.outcome != Outcome::kFiltered) pass.missing = missing_of(*record, planned, delivered);
  }
  const std::vector<ReadingPlace> canonical = canonical_readings(order, planned.roles);
  selection.complete = dispatch.outcome != Outcome::kIncomplete;
  for (std::size_t counter = 0; counter < canonical.size(); ++counter) {
    const ReadingPlace& place = canonical[counter];
    if (place.pass == nullptr) {
      if (planned.roles.requested[counter]) selection.complete = false;
      continue;
    }
    const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), place.pass) - order.begin());
    selection.passes[at].canonical[place.at] = true;
  }
  return selection;
}

}  // namespace multipass::output::rocpd
