// SPDX-License-Identifier: MIT
//
// From the texts of a request to the document that answers it: parse, resolve, plan each agent.
// Pure; one thread. Errors: none but std::bad_alloc; all that cannot be met is in the document.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/plan/plan_json.hpp"
#include "model/agent.hpp"
#include "model/run.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::apps {

struct PlanTexts {
  std::string events;
  std::vector<std::string> groups;              // "A,B": counters that must share a pass
  std::vector<std::string> sets{};              // of metrics: known names
  std::string sentinel = kDefaultSentinel;      // "auto", "none", or counters as in `events`
  std::vector<std::uint32_t> compute_panels{};  // known numbers
  bool keeps_instances = false;                 // as for a run; warnings depend on it, the plan does not
};

struct PlanLimits {
  std::uint64_t effort = planner::kDefaultEffort;  // that of planner::Options
  // Makes the cut-off of one GPU (planner::Options::give_up), when its search begins. Empty: there is none.
  std::function<std::function<bool()>()> new_cut_off;
};

// `catalogues[i]` is GPU i; accumulations (catalogue/accumulations.hpp) are added to it where they are wanted. The
// document does not depend on the order of the tokens, except for the columns of those that are not understood.
[[nodiscard]] PlanDocument plan_request(const std::vector<AgentCatalogue>& catalogues, const PlanTexts& texts,
                                        const PlanLimits& limits = {});

// True when something was asked for and no agent has a single pass because of that.
[[nodiscard]] bool nothing_placed(const PlanDocument& document);

}  // namespace multipass::apps
