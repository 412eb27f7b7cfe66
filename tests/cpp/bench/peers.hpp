// SPDX-License-Identifier: MIT
//
// What other tools do with a request that is too large for one pass, written from descriptions, to compare the planner
// with: each item (a group that must stay together, or one counter) goes into the first pass with room, or into the
// newest one. Nothing of the planner is used. Pure; the items must each fit a pass of their own.
#pragma once

#include <string>
#include <vector>

#include "model/agent.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::bench {

enum class Rule {
  kRegisters,  // what a pass can really hold: hidden registers count, no counter is accumulated in two ways
  kSdk,        // what rocprofiler_create_counter_config accepts: distinct registers against slots, nothing else
};

using Counters = std::vector<std::string>;

// The groups, then the counters that are in none, both in the order of the request.
[[nodiscard]] std::vector<Counters> items_of(const planner::Request& request);

// Passes, each with the counters of its items.
[[nodiscard]] std::vector<Counters> first_fit(const AgentCatalogue& catalogue, const std::vector<Counters>& items,
                                              Rule rule);
[[nodiscard]] std::vector<Counters> next_fit(const AgentCatalogue& catalogue, const std::vector<Counters>& items,
                                             Rule rule);

}  // namespace multipass::bench
