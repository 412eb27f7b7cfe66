// SPDX-License-Identifier: MIT
#include "planner/first_fit.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "planner/pass_model.hpp"

namespace multipass::planner {
namespace {

constexpr int kRounds = 60;  // of each (order, choice); all counters of an agent take about a millisecond a round
constexpr int kFewRounds = 4;

enum class Choice : std::uint8_t {
  kFirst,        // the first pass that has room
  kFewestAdded,  // where the fewest registers are added
  kLightest,     // where the smallest share of the pass is added
};

enum class Order : std::uint8_t {
  kPressure,  // registers weighted by how scarce their pool is
  kLargest,   // the fullest pool of the item
  kLoad,      // the sum of its shares
  kCount,     // registers
  kPools,     // pools touched, then as kPressure
};

constexpr std::array kOrders{Order::kPressure, Order::kLargest, Order::kLoad, Order::kCount, Order::kPools};
constexpr std::array kChoices{Choice::kFirst, Choice::kFewestAdded, Choice::kLightest};

struct Attempt {
  Packing passes;
  std::uint64_t registers = 0;
};

// What comes first in an order: the larger pair.
using Weight = std::pair<std::uint64_t, std::uint64_t>;

class Packer final {
 public:
  explicit Packer(const Items& items) : items_(items), scarcity_(items.model.pools().size()) {
    std::vector<bool> counted(items.model.registers().size());
    for (const ItemId id : items.core)
      for (const RegisterId reg : items.all[id].cost) {
        if (counted[reg]) continue;
        counted[reg] = true;
        scarcity_[items.model.registers()[reg].pool] += items.model.share(reg);
      }
  }

  [[nodiscard]] std::vector<ItemId> ordered(Order order) const {
    std::vector<std::pair<Weight, ItemId>> weighted;
    for (const ItemId id : items_.core) weighted.emplace_back(weight(order, items_.all[id].cost), id);
    std::sort(weighted.begin(), weighted.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<ItemId> ids;
    for (const auto& [weight, id] : weighted) ids.push_back(id);
    return ids;
  }

  [[nodiscard]] Attempt pack(const std::vector<ItemId>& order, Choice choice) const {
    Attempt attempt;
    std::vector<PassModel> passes;
    for (const ItemId id : order) {
      const std::size_t chosen = choose(passes, items_.all[id].cost, choice);
      if (chosen == passes.size()) {
        passes.emplace_back(items_.model);
        attempt.passes.emplace_back();
      }
      passes[chosen].add(items_.all[id].cost);
      attempt.passes[chosen].push_back(id);
    }
    for (const PassModel& pass : passes) attempt.registers += pass.total_used();
    return attempt;
  }

 private:
  [[nodiscard]] Weight weight(Order order, const Cost& cost) const {
    std::uint64_t pressure = 0;
    std::uint64_t load = 0;
    std::uint64_t largest = 0;
    std::uint64_t in_pool = 0;
    std::uint64_t pools = 0;
    std::optional<PoolId> last;
    for (const RegisterId id : cost) {
      const PoolId pool = items_.model.registers()[id].pool;
      const std::uint64_t share = items_.model.share(id);
      if (last != pool) {
        in_pool = 0;
        ++pools;
        last = pool;
      }
      in_pool += share;
      load += share;
      largest = std::max(largest, in_pool);
      pressure += share * scarcity_[pool] / kWholePool;
    }
    switch (order) {
      case Order::kPressure:
        return {pressure, load};
      case Order::kLargest:
        return {largest, pressure};
      case Order::kLoad:
        return {load, pressure};
      case Order::kCount:
        return {cost.size(), pressure};
      case Order::kPools:
        return {pools, pressure};
    }
    return {pressure, load};
  }

  static std::size_t choose(const std::vector<PassModel>& passes, const Cost& cost, Choice choice) {
    std::size_t best = passes.size();
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 0; i < passes.size(); ++i) {
      if (!passes[i].fits(cost)) continue;
      if (choice == Choice::kFirst) return i;
      const std::uint64_t added =
          choice == Choice::kFewestAdded ? passes[i].added_registers(cost) : passes[i].added_load(cost);
      if (added >= least) continue;
      least = added;
      best = i;
    }
    return best;
  }

  const Items& items_;
  std::vector<std::uint64_t> scarcity_;  // by pool: how much of it all items together take, in shares
};

bool better(const Attempt& candidate, const Attempt& best) {
  if (candidate.passes.size() != best.passes.size()) return candidate.passes.size() < best.passes.size();
  return candidate.registers < best.registers;
}

// The items of the last pass, then the others as they were: what found no room gets the first choice.
std::vector<ItemId> last_pass_first(const std::vector<ItemId>& order, const Packing& passes) {
  if (passes.empty()) return order;
  const std::vector<ItemId>& last = passes.back();
  std::vector<ItemId> next = last;
  for (const ItemId id : order)
    if (std::find(last.begin(), last.end(), id) == last.end()) next.push_back(id);
  return next;
}

}  // namespace

Packing pack_first_fit(const Items& items, std::uint32_t bound) {
  const Packer packer{items};
  Attempt best = packer.pack(packer.ordered(kOrders.front()), kChoices.front());
  const auto offer = [&](Attempt attempt) {
    if (better(attempt, best)) best = std::move(attempt);
  };
  for (const Order order : kOrders)
    for (const Choice choice : kChoices) offer(packer.pack(packer.ordered(order), choice));
  for (const Order order : kOrders)
    for (const Choice choice : kChoices) {
      std::vector<ItemId> ids = packer.ordered(order);
      for (int round = 0; round < kRounds && best.passes.size() > bound; ++round) {
        Attempt attempt = packer.pack(ids, choice);
        ids = last_pass_first(ids, attempt.passes);
        offer(std::move(attempt));
      }
    }
  for (std::vector<ItemId>& pass : best.passes) std::sort(pass.begin(), pass.end());
  return std::move(best.passes);
}

std::optional<Packing> first_packing(const Items& items, std::uint32_t count) {
  const Packer packer{items};
  for (const Order order : kOrders)
    for (const Choice choice : kChoices) {
      std::vector<ItemId> ids = packer.ordered(order);
      for (int round = 0; round < kFewRounds; ++round) {
        Attempt attempt = packer.pack(ids, choice);
        ids = last_pass_first(ids, attempt.passes);
        if (attempt.passes.size() > count) continue;
        for (std::vector<ItemId>& pass : attempt.passes) std::sort(pass.begin(), pass.end());
        return std::move(attempt.passes);
      }
    }
  return std::nullopt;
}

Packing with_followers(const Items& items, Packing core) {
  std::vector<std::size_t> pass_of(items.all.size());
  for (std::size_t pass = 0; pass < core.size(); ++pass)
    for (const ItemId id : core[pass]) pass_of[id] = pass;
  for (ItemId id = 0; id < items.all.size(); ++id)
    if (items.leader[id] != id) core[pass_of[items.leader[id]]].push_back(id);
  for (std::vector<ItemId>& pass : core) std::sort(pass.begin(), pass.end());
  return core;
}

}  // namespace multipass::planner
