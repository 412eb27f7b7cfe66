// SPDX-License-Identifier: MIT
//
// The request as things to pack: groups and single counters with their costs, without what cannot be placed.
// Immutable once made; threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/agent.hpp"
#include "model/plan.hpp"
#include "planner/pass_model.hpp"
#include "planner/plan_agent.hpp"
#include "planner/register_model.hpp"

namespace multipass::planner {

using ItemId = std::uint32_t;

// One counter, or a group that must stay together.
struct Item {
  std::vector<std::string> counters;  // sorted
  Cost cost;                          // of all of them together
  bool is_group = false;
};

// What an oracle refused although the model accepts it.
struct Refusals {
  std::set<std::string> counters;             // alone
  std::set<std::vector<std::string>> groups;  // as a whole, though not any of its counters
};

// A packing problem. Every item fits a pass of its own.
struct Items {
  RegisterModel model;
  std::vector<Item> all;     // sorted by counters
  std::vector<ItemId> core;  // items whose cost is not part of another's
  // By item: a core item whose cost includes this one's, so that it joins it for free; of a core item: itself.
  std::vector<ItemId> leader;
  std::vector<UnplaceableCounter> unplaceable;  // sorted by counter
};

// The registers of a pass with these items.
[[nodiscard]] PassModel model_of(const Items& items, const std::vector<ItemId>& pass);

// Fills `core` and `leader` from `all`.
void find_leaders(Items& items);

// All counters that the request names, those of its groups too.
[[nodiscard]] std::set<std::string> requested_names(const Request& request);

// What the core items cost, in their order.
[[nodiscard]] std::vector<Cost> core_costs(const Items& items);

[[nodiscard]] Items make_items(const AgentCatalogue& catalogue, const Request& request, const Refusals& refusals);

}  // namespace multipass::planner
