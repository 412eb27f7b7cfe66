// SPDX-License-Identifier: MIT
//
// Sentinels: counters that are read in several passes of a finished plan, so that the passes can be compared. When one
// of work differs, the memory was not what it had been, and counters of different passes are not of the same execution.
//
// They are guests. A pass takes one when its registers are free or programmed anyway and the oracle accepts the pass
// with it; no pass is added, moved or changed for it. In a pass where it was planned anyway it is not marked. One that
// would be read in fewer than two passes compares nothing and is not added at all.
// Threads: any (the oracle is called on the caller's). Errors: none but std::bad_alloc. Cost: one question to the
// oracle for each pass and named sentinel; when it refuses a pass, at most one more for each sentinel and pass.
#pragma once

#include <string>
#include <vector>

#include "model/agent.hpp"
#include "model/plan.hpp"
#include "planner/oracle_split.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::planner {

// The passes keep their order. Named sentinels that compare nothing are in plan.left_out_sentinels, unless the plan has
// fewer than two passes: then there is nothing to compare.
void add_sentinels(const AgentCatalogue& catalogue, const SentinelChoice& choice, AskedOracle& oracle, AgentPlan& plan);

// One sentence for each named sentinel that compares nothing: which GPU, which counter, and why.
[[nodiscard]] std::vector<std::string> sentinel_warnings(const AgentPlan& plan);

}  // namespace multipass::planner
