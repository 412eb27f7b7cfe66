// SPDX-License-Identifier: MIT
//
// Why a plan has as many passes as it has. Pure; threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>

#include "model/agent.hpp"
#include "model/plan.hpp"
#include "planner/items.hpp"
#include "planner/minimise.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::planner {

// What the lower bound of `minimised`, which was made of `items`, rests on.
[[nodiscard]] PlanBounds explain_bounds(const Items& items, const Minimised& minimised);

// Passes for the same counters, none of which must be together with another: the fewest that a short search finds.
[[nodiscard]] std::uint32_t passes_without_groups(const AgentCatalogue& catalogue, const Request& request);

}  // namespace multipass::planner
