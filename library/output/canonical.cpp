// SPDX-License-Identifier: MIT
#include "output/canonical.hpp"

#include <algorithm>
#include <cmath>

namespace multipass::output {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_delivered(double value) noexcept {
  return std::isfinite(value);
}

std::vector<const PassRecord*> in_pass_order(const DispatchRecord& dispatch) {
  std::vector<const PassRecord*> order;
  order.reserve(dispatch.passes.size());
  for (const PassRecord& record : dispatch.passes) order.push_back(&record);
  std::stable_sort(order.begin(), order.end(),
                   [](const PassRecord* a, const PassRecord* b) { return a->pass < b->pass; });
  return order;
}

std::string DispatchTimes::name() const {
  if (pass == nullptr) return "timing pass";
  return pass->pass ? "pass " + std::to_string(pass->pass->value) : "single run";
}

std::optional<DispatchTimes> times_of(const DispatchRecord& dispatch, const std::vector<const PassRecord*>& in_order) {
  std::vector<DispatchTimes> known;
  const auto add = [&known](const Interval& interval, const PassRecord* pass) {
    if (interval.start_ns != 0 || interval.end_ns != 0) known.push_back({interval, pass});
  };
  if (dispatch.timing) add(*dispatch.timing, nullptr);
  for (const PassRecord* record : in_order) add({record->start_ns, record->end_ns}, record);
  const auto lasted = std::find_if(known.begin(), known.end(), [](const DispatchTimes& times) {
    return times.interval.start_ns != 0 && times.interval.end_ns > times.interval.start_ns;
  });
  if (lasted != known.end()) return *lasted;
  // No good ones: what was recorded is still better than nothing.
  if (known.empty()) return std::nullopt;
  return known.front();
}

CounterRoles roles_of(const std::vector<std::string>& names, const AgentPlan& plan) {
  CounterRoles roles;
  for (const PassPlan& pass : plan.passes) {
    std::vector<bool>& sentinels = roles.as_sentinel.emplace_back();
    for (const std::string& name : names) sentinels.push_back(contains(pass.sentinels, name));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool sentinel = false;
    bool wanted = false;
    for (std::size_t k = 0; k < plan.passes.size(); ++k)
      if (contains(plan.passes[k].counters, names[i])) (roles.as_sentinel[k][i] ? sentinel : wanted) = true;
    roles.requested.push_back(wanted || !sentinel);
  }
  return roles;
}

std::vector<ReadingPlace> canonical_readings(const std::vector<const PassRecord*>& in_order,
                                             const CounterRoles& roles) {
  std::vector<ReadingPlace> places(roles.requested.size());
  for (const PassRecord* pass : in_order)
    for (std::size_t at = 0; at < pass->counters.size(); ++at) {
      const std::size_t counter = pass->counters[at].value;
      if (counter >= places.size() || !roles.requested[counter] || !is_delivered(pass->values[at])) continue;
      ReadingPlace& place = places[counter];
      const bool better = place.pass != nullptr && roles.is_sentinel(place.pass->group, counter) &&
                          !roles.is_sentinel(pass->group, counter);
      if (place.pass == nullptr || better) place = {pass, at};
    }
  return places;
}

}  // namespace multipass::output
