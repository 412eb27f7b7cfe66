// SPDX-License-Identifier: MIT
#include "tool/shared_plans.hpp"

#include <algorithm>
#include <utility>

namespace multipass::tool {
namespace {

// By names: the SDK numbers the counters of each agent as it likes.
bool alike(const AgentCatalogue& left, const AgentCatalogue& right) {
  return left.agent.name == right.agent.name && left.register_keys == right.register_keys &&
         left.counters == right.counters;
}

}  // namespace

void SharedPlans::add(const AgentCatalogue& catalogue, planner::Request request, AgentPlan plan) {
  entries_.push_back({&catalogue, std::move(request), std::move(plan)});
}

const AgentPlan* SharedPlans::find(const AgentCatalogue& catalogue, const planner::Request& request) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.request == request && alike(*entry.catalogue, catalogue);
  });
  return found == entries_.end() ? nullptr : &found->plan;
}

}  // namespace multipass::tool
