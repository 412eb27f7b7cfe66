// SPDX-License-Identifier: MIT
#include "planner/explain.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "planner/bounds.hpp"

namespace multipass::planner {
namespace {

constexpr std::uint64_t kNodesWithoutGroups = 20'000;  // a tenth of a second

std::vector<BlockBound> block_bounds(const Items& items, const std::vector<Cost>& costs) {
  const std::vector<PoolNeed> needs = pool_needs(items.model, costs);
  std::vector<BlockBound> blocks;
  for (PoolId id = 0; id < needs.size(); ++id) {
    if (needs[id].registers == 0) continue;
    const Pool& pool = items.model.pools()[id];
    blocks.push_back(
        {pool.name, needs[id].registers, needs[id].distinct, pool.capacity, needs[id].passes, std::nullopt, false});
  }
  return blocks;
}

// Two accumulations of one counter may give a bound that no clique had to be looked for; the two are one.
std::vector<ItemId> clique_behind(const Items& items, const std::vector<Cost>& costs, const Minimised& minimised) {
  if (!minimised.clique.empty()) return minimised.clique;
  std::vector<ItemId> clique;
  for (const std::size_t core : clique_of(items.model, costs)) clique.push_back(items.core[core]);
  return clique;
}

}  // namespace

PlanBounds explain_bounds(const Items& items, const Minimised& minimised) {
  const std::vector<Cost> costs = core_costs(items);
  PlanBounds bounds;
  bounds.blocks = block_bounds(items, costs);
  bool by_slots = minimised.bound == 0;
  for (BlockBound& block : bounds.blocks) {
    block.binding = block.passes == minimised.bound;
    by_slots |= block.binding;
  }
  if (by_slots) return bounds;
  if (minimised.searched_pool) {
    bounds.kind = BoundKind::kBlockSearch;
    for (BlockBound& block : bounds.blocks) {
      if (block.block != items.model.pools()[*minimised.searched_pool].name) continue;
      block.searched = minimised.bound;
      block.binding = true;
    }
    return bounds;
  }
  bounds.kind = BoundKind::kClique;
  for (const ItemId id : clique_behind(items, costs, minimised)) bounds.clique.push_back(items.all[id].counters);
  return bounds;
}

std::uint32_t passes_without_groups(const AgentCatalogue& catalogue, const Request& request) {
  const std::set<std::string> names = requested_names(request);
  const Request singly{{names.begin(), names.end()}, {}};
  const Items items = make_items(catalogue, singly, {});
  return static_cast<std::uint32_t>(minimise(items, {}, {kNodesWithoutGroups}).passes.size());
}

}  // namespace multipass::planner
