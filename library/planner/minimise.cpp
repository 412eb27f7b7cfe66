// SPDX-License-Identifier: MIT
#include "planner/minimise.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "planner/bounds.hpp"
#include "planner/glue.hpp"
#include "planner/pass_model.hpp"
#include "planner/search.hpp"

namespace multipass::planner {
namespace {

constexpr std::uint64_t kNodesForRegisters = 2'000;
// Beside the effort, so that partners and minimum do not depend on each other's luck. A tenth of a second at most.
constexpr std::uint64_t kNodesForPartners = 5'000;

std::vector<PassModel> models_of(const Items& items, const Packing& passes) {
  std::vector<PassModel> models;
  for (const std::vector<ItemId>& pass : passes) models.push_back(model_of(items, pass));
  return models;
}

// The pass where the item adds the fewest registers, if these are fewer than `most`; else `passes.size()`.
std::size_t cheaper_pass(const std::vector<PassModel>& passes, const Cost& cost, std::uint32_t most) {
  std::size_t best = passes.size();
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    const std::uint32_t added = passes[pass].added_registers(cost);
    if (added >= most || !passes[pass].fits(cost)) continue;
    most = added;
    best = pass;
  }
  return best;
}

// Moves items to passes that have more of their registers, until none gains by it. Every move programs fewer registers,
// so this ends.
void save_registers(const Items& items, Packing& passes) {
  std::vector<PassModel> models = models_of(items, passes);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t from = 0; from < passes.size(); ++from)
      for (std::size_t i = 0; i < passes[from].size();) {
        const ItemId id = passes[from][i];
        const Cost& cost = items.all[id].cost;
        models[from].remove(cost);
        const std::size_t to = cheaper_pass(models, cost, models[from].added_registers(cost));
        models[to == models.size() ? from : to].add(cost);
        if (to == models.size()) {
          ++i;
          continue;
        }
        moved = true;
        passes[to].push_back(id);
        passes[from].erase(passes[from].begin() + static_cast<std::ptrdiff_t>(i));
      }
  }
  std::erase_if(passes, [](const std::vector<ItemId>& pass) { return pass.empty(); });
  for (std::vector<ItemId>& pass : passes) std::sort(pass.begin(), pass.end());
}

std::uint64_t registers_of(const Items& items, const Packing& passes) {
  std::uint64_t registers = 0;
  for (const PassModel& model : models_of(items, passes)) registers += model.total_used();
  return registers;
}

// From indices into the costs of the core items to the items.
Packing of_items(const Items& items, Packing passes) {
  for (std::vector<ItemId>& pass : passes)
    for (ItemId& id : pass) id = items.core[id];
  return passes;
}

// The search looks for few copies of registers, first fit for few passes: either may be the better of two packings with
// as many passes.
void take_fewer_registers(const Items& items, Nodes nodes, Packing& passes) {
  save_registers(items, passes);
  const std::vector<Cost> costs = core_costs(items);
  const std::vector<std::uint32_t> copies = least_copies(items.model, costs);
  const std::uint64_t registers = registers_of(items, passes);
  if (registers == std::accumulate(copies.begin(), copies.end(), std::uint64_t{0})) return;
  nodes.left = std::min(nodes.left, kNodesForRegisters);
  SearchResult result = search_packing(items.model, costs, static_cast<std::uint32_t>(passes.size()), nodes);
  if (result.outcome != Outcome::kFound) return;
  Packing other = of_items(items, std::move(result.passes));
  save_registers(items, other);
  if (registers_of(items, other) < registers) passes = std::move(other);
}

// From a packing of the core to one of all items.
Packing finished(const Items& items, Nodes nodes, Packing passes) {
  take_fewer_registers(items, nodes, passes);
  return with_followers(items, std::move(passes));
}

// From a packing of the core to one of all items in as many passes: partners together, and few registers.
void arrange(const Items& items, const std::vector<AskedPartners>& partners, const Nodes& all, const Nodes& left,
             Packing& passes) {
  Nodes for_partners{std::min(all.left, kNodesForPartners), all.cut_off};
  if (std::optional<KeptPartners> kept = keep_partners(items, partners, passes, for_partners))
    passes = unglued(kept->glued, finished(kept->glued.items, left, std::move(kept->passes)));
  else
    passes = finished(items, left, std::move(passes));
}

Minimised searched(const Items& items, const std::vector<AskedPartners>& partners, Nodes nodes) {
  const Nodes all = nodes;
  const std::vector<Cost> costs = core_costs(items);
  Minimised best;
  best.bound = capacity_bound(items.model, costs);
  best.passes = pack_first_fit(items, best.bound);
  const auto passes = [&] { return static_cast<std::uint32_t>(best.passes.size()); };
  if (passes() > best.bound) {
    for (const std::size_t core : clique_of(items.model, costs)) best.clique.push_back(items.core[core]);
    best.bound = std::max(best.bound, static_cast<std::uint32_t>(best.clique.size()));
  }
  if (passes() > best.bound) {
    const PoolBound searched = pool_bound(items.model, costs, best.bound, passes(), nodes);
    best.bound = searched.passes;
    best.searched_pool = searched.pool;
  }
  best.at_least = best.bound;
  while (passes() > best.at_least) {
    SearchResult result = search_packing(items.model, costs, passes() - 1, nodes);
    if (result.outcome == Outcome::kFound) best.passes = of_items(items, std::move(result.passes));
    if (result.outcome == Outcome::kImpossible) best.at_least = passes();
    if (result.outcome == Outcome::kGaveUp) break;
  }
  arrange(items, partners, all, nodes, best.passes);
  return best;
}

}  // namespace

Minimised minimise(const Items& items, const std::vector<AskedPartners>& partners, Nodes nodes) {
  Minimised best;
  if (!nodes.cut_off_struck()) best = searched(items, partners, nodes);
  if (!nodes.cut_off_struck()) return best;
  best = searched(items, partners, {});
  best.given_up = true;
  return best;
}

}  // namespace multipass::planner
