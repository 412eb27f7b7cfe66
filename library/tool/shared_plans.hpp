// SPDX-License-Identifier: MIT
//
// Plans that were made for a GPU of this machine, for others that are like it: the same architecture, the same counters
// at the same cost, and the same request. Nodes with eight equal GPUs are the rule.
// Owner: the preparation, on its thread. Refers to the catalogues, which must outlive it. Errors: none but
// std::bad_alloc.
#pragma once

#include <vector>

#include "model/agent.hpp"
#include "model/plan.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::tool {

class SharedPlans final {
 public:
  // Only a plan for which the SDK refused nothing and that has a place for everything: what one GPU refuses, or has no
  // slots for, another may accept.
  void add(const AgentCatalogue& catalogue, planner::Request request, AgentPlan plan);

  // For a GPU whose slots are not known yet. Null when none is like it. Valid until the next add.
  [[nodiscard]] const AgentPlan* find(const AgentCatalogue& catalogue, const planner::Request& request) const;

 private:
  struct Entry {
    const AgentCatalogue* catalogue;
    planner::Request request;
    AgentPlan plan;
  };
  std::vector<Entry> entries_;
};

}  // namespace multipass::tool
