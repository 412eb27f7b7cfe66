// SPDX-License-Identifier: MIT
#include "output/rocpd/canonical.hpp"

#include <algorithm>
#include <cmath>

namespace multipass::output::rocpd {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string describe(const PassRecord& record) {
  return record.pass ? "pass " + std::to_string(record.pass->value) : "group " + std::to_string(record.group.value);
}

std::vector<const PassRecord*> in_pass_order(const std::vector<PassRecord>& records) {
  std::vector<const PassRecord*> order;
  order.reserve(records.size());
  for (const PassRecord& record : records) order.push_back(&record);
  // Records of one pass number stay in the order in which they lie in the vector.
  std::sort(order.begin(), order.end(),
            [](const PassRecord* a, const PassRecord* b) { return a->pass != b->pass ? a->pass < b->pass : a < b; });
  return order;
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

const PassRecord* choose_times(const std::vector<const PassRecord*>& order) {
  const auto lasting = [](const PassRecord* record) { return record->end_ns > record->start_ns; };
  const auto known = [](const PassRecord* record) { return record->start_ns != 0 || record->end_ns != 0; };
  if (const auto found = std::find_if(order.begin(), order.end(), lasting); found != order.end()) return *found;
  // No good ones: what was recorded is still better than nothing, and it is not adjusted.
  const auto found = std::find_if(order.begin(), order.end(), known);
  return found == order.end() ? nullptr : *found;
}

}  // namespace

void PlannedCounters::plan_passes(const AgentPlan& plan) {
  by_group.clear();
  for (const PassPlan& pass : plan.passes) {
    std::vector<PlannedCounter>& group = by_group.emplace_back();
    for (const std::string& name : pass.counters)
      group.push_back({name, static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())});
  }
  requested.clear();
  for (const std::string& name : names) {
    bool sentinel = false;
    bool wanted = false;
    for (const PassPlan& pass : plan.passes) {
      if (!contains(pass.counters, name)) continue;
      (contains(pass.sentinels, name) ? sentinel : wanted) = true;
    }
    requested.push_back(wanted || !sentinel);
  }
}

bool is_delivered(double value) noexcept {
  return !std::isnan(value);
}

Result<DispatchSelection> select_readings(const DispatchRecord& dispatch, const PlannedCounters& planned) {
  const std::vector<const PassRecord*> order = in_pass_order(dispatch.passes);
  if (Status status = check_passes(order); !status) return status;
  DispatchSelection selection;
  selection.times = choose_times(order);
  std::vector<bool> chosen(planned.names.size(), false);
  std::vector<bool> delivered;
  for (const PassRecord* record : order) {
    if (Status status = check_readings(*record, planned, delivered); !status) return status;
    PassSelection& pass = selection.passes.emplace_back();
    pass.record = record;
    pass.canonical.resize(record->counters.size(), false);
    for (std::size_t at = 0; at < record->counters.size(); ++at) {
      const std::size_t counter = record->counters[at].value;
      if (!planned.requested[counter] || chosen[counter] || !delivered[counter]) continue;
      pass.canonical[at] = true;
      chosen[counter] = true;
    }
    if (dispatch.outcome != Outcome::kFiltered) pass.missing = missing_of(*record, planned, delivered);
  }
  selection.complete = dispatch.outcome != Outcome::kIncomplete && chosen == planned.requested;
  return selection;
}

}  // namespace multipass::output::rocpd
