// SPDX-License-Identifier: MIT
#include "planner/bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "planner/pass_model.hpp"

namespace multipass::planner {
namespace {

using Users = std::vector<std::vector<std::size_t>>;  // by register: the costs that have it

Users users_of(const RegisterModel& model, const std::vector<Cost>& costs) {
  Users users(model.registers().size());
  for (std::size_t i = 0; i < costs.size(); ++i)
    for (const RegisterId id : costs[i]) users[id].push_back(i);
  return users;
}

std::uint32_t rounded_up(std::uint32_t registers, std::uint32_t slots) {
  return (registers + slots - 1) / slots;
}

// Passes that the registers needed together with `id` take: it has one slot of its pool in each of them.
std::uint32_t passes_beside(const RegisterModel& model, const std::vector<Cost>& costs, RegisterId id,
                            const std::vector<std::size_t>& users) {
  Cost beside;
  for (const std::size_t user : users) beside.insert(beside.end(), costs[user].begin(), costs[user].end());
  std::sort(beside.begin(), beside.end());
  beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
  std::vector<std::uint32_t> needed(model.pools().size());
  for (const RegisterId other : beside)
    if (other != id) ++needed[model.registers()[other].pool];
  std::uint32_t passes = 1;
  for (PoolId pool = 0; pool < needed.size(); ++pool) {
    const std::uint32_t taken = pool == model.registers()[id].pool ? 1 : 0;
    if (needed[pool] > 0) passes = std::max(passes, rounded_up(needed[pool], model.pools()[pool].capacity - taken));
  }
  return passes;
}

bool is_part_of(const Cost& small, const Cost& large) {
  return std::includes(large.begin(), large.end(), small.begin(), small.end());
}

// What the costs have in one pool, without parts of others.
std::vector<Cost> projected(const RegisterModel& model, const std::vector<Cost>& costs, PoolId pool) {
  std::vector<Cost> parts;
  for (const Cost& cost : costs) {
    Cost part;
    std::copy_if(cost.begin(), cost.end(), std::back_inserter(part),
                 [&](RegisterId id) { return model.registers()[id].pool == pool; });
    if (!part.empty()) parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(), [](const Cost& left, const Cost& right) {
    return left.size() != right.size() ? left.size() > right.size() : left < right;
  });
  std::vector<Cost> largest;
  for (Cost& part : parts)
    if (std::none_of(largest.begin(), largest.end(), [&](const Cost& other) { return is_part_of(part, other); }))
      largest.push_back(std::move(part));
  return largest;
}

}  // namespace

std::vector<std::uint32_t> least_copies(const RegisterModel& model, const std::vector<Cost>& costs) {
  const Users users = users_of(model, costs);
  std::vector<std::uint32_t> copies(users.size());
  for (RegisterId id = 0; id < users.size(); ++id) {
    if (users[id].empty()) continue;
    const std::vector<RegisterId>& accumulators = model.registers()[id].accumulators;
    const auto accumulations = std::count_if(accumulators.begin(), accumulators.end(),
                                             [&](RegisterId accumulator) { return !users[accumulator].empty(); });
    copies[id] = std::max(static_cast<std::uint32_t>(accumulations), passes_beside(model, costs, id, users[id]));
  }
  return copies;
}

std::vector<PoolNeed> pool_needs(const RegisterModel& model, const std::vector<Cost>& costs) {
  const std::vector<std::uint32_t> copies = least_copies(model, costs);
  std::vector<PoolNeed> needs(model.pools().size());
  for (RegisterId id = 0; id < copies.size(); ++id) {
    PoolNeed& need = needs[model.registers()[id].pool];
    need.registers += copies[id];
    need.distinct += copies[id] > 0 ? 1 : 0;
  }
  for (PoolId pool = 0; pool < needs.size(); ++pool)
    if (needs[pool].registers > 0) needs[pool].passes = rounded_up(needs[pool].registers, model.pools()[pool].capacity);
  return needs;
}

std::uint32_t capacity_bound(const RegisterModel& model, const std::vector<Cost>& costs) {
  std::uint32_t bound = 0;
  for (const std::uint32_t copies : least_copies(model, costs)) bound = std::max(bound, copies);
  for (const PoolNeed& need : pool_needs(model, costs)) bound = std::max(bound, need.passes);
  return bound;
}

std::vector<std::size_t> clique_of(const RegisterModel& model, const std::vector<Cost>& costs) {
  const std::size_t count = costs.size();
  std::vector<std::vector<bool>> apart(count, std::vector<bool>(count));
  std::vector<std::size_t> degree(count);
  for (std::size_t i = 0; i < count; ++i) {
    PassModel pass{model};
    pass.add(costs[i]);
    for (std::size_t k = 0; k < count; ++k) {
      apart[i][k] = k != i && !pass.fits(costs[k]);
      degree[i] += apart[i][k] ? 1 : 0;
    }
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return degree[a] != degree[b] ? degree[a] > degree[b] : a < b; });
  std::vector<std::size_t> best;
  for (const std::size_t first : order) {
    std::vector<std::size_t> clique{first};
    for (const std::size_t next : order)
      if (std::all_of(clique.begin(), clique.end(), [&](std::size_t member) { return apart[next][member]; }))
        clique.push_back(next);
    if (clique.size() > best.size()) best = std::move(clique);
  }
  std::sort(best.begin(), best.end());
  return best;
}

PoolBound pool_bound(const RegisterModel& model, const std::vector<Cost>& costs, std::uint32_t bound,
                     std::uint32_t passes, Nodes& nodes) {
  PoolBound best{bound, std::nullopt};
  const std::uint64_t share = nodes.left / 2 / std::max<std::size_t>(1, model.pools().size());
  for (PoolId pool = 0; pool < model.pools().size(); ++pool) {
    const std::vector<Cost> parts = projected(model, costs, pool);
    Nodes own{share, nodes.cut_off};
    while (best.passes < passes && search_packing(model, parts, best.passes, own).outcome == Outcome::kImpossible)
      best = {best.passes + 1, pool};
    nodes.left -= share - own.left;
  }
  return best;
}

}  // namespace multipass::planner
