// SPDX-License-Identifier: MIT
#include "peers.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

namespace multipass::bench {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Register {
  std::size_t block = 0;
  std::size_t accumulates = kNone;  // of X@FLAG under Rule::kRegisters: X
};

// The registers of a request as numbers, and what each item programs.
class Costs final {
 public:
  Costs(const AgentCatalogue& catalogue, const std::vector<Counters>& items, Rule rule) : rule_(rule) {
    for (const auto& [block, slots] : catalogue.slots) {
      blocks_.emplace(block, slots_.size());
      slots_.push_back(slots);
    }
    for (const Counters& item : items) {
      std::set<std::size_t> cost;
      for (const std::string& counter : item)
        for (const RegisterKey& key : catalogue.register_keys.at(counter)) add(key, cost);
      costs_.emplace_back(cost.begin(), cost.end());
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& cost(std::size_t item) const { return costs_[item]; }
  [[nodiscard]] const std::vector<Register>& registers() const { return registers_; }
  [[nodiscard]] const std::vector<std::uint32_t>& slots() const { return slots_; }

 private:
  void add(const RegisterKey& key, std::set<std::size_t>& cost) {
    const std::size_t id = id_of(key);
    cost.insert(id);
    const std::size_t at = key.name.find('@');
    if (rule_ == Rule::kSdk || at == std::string::npos) return;
    const std::size_t plain = id_of({key.block, key.name.substr(0, at)});
    registers_[id].accumulates = plain;
    cost.insert(plain);
  }

  std::size_t id_of(const RegisterKey& key) {
    const auto [entry, is_new] = ids_.emplace(key, registers_.size());
    if (is_new) registers_.push_back({blocks_.at(key.block), kNone});
    return entry->second;
  }

  Rule rule_;
  std::map<std::string, std::size_t> blocks_;
  std::vector<std::uint32_t> slots_;  // by block
  std::map<RegisterKey, std::size_t> ids_;
  std::vector<Register> registers_;
  std::vector<std::vector<std::size_t>> costs_;
};

class Pass final {
 public:
  explicit Pass(const Costs& costs)
      : costs_(&costs),
        has_(costs.registers().size()),
        accumulation_(costs.registers().size(), kNone),
        used_(costs.slots().size()) {}

  [[nodiscard]] bool try_add(std::size_t item) {
    std::vector<std::uint32_t> used = used_;
    for (const std::size_t id : costs_->cost(item)) {
      const Register& wanted = costs_->registers()[id];
      if (wanted.accumulates != kNone) {
        const std::size_t other = accumulation_[wanted.accumulates];
        if (other != kNone && other != id) return false;
      }
      if (!has_[id] && ++used[wanted.block] > costs_->slots()[wanted.block]) return false;
    }
    used_ = std::move(used);
    for (const std::size_t id : costs_->cost(item)) {
      has_[id] = true;
      if (const std::size_t plain = costs_->registers()[id].accumulates; plain != kNone) accumulation_[plain] = id;
    }
    items_.push_back(item);
    return true;
  }

  [[nodiscard]] const std::vector<std::size_t>& items() const { return items_; }

 private:
  const Costs* costs_;
  std::vector<bool> has_;                  // by register
  std::vector<std::size_t> accumulation_;  // by register X: the X@FLAG that the pass has
  std::vector<std::uint32_t> used_;        // by block
  std::vector<std::size_t> items_;
};

std::vector<Counters> named(const std::vector<Pass>& passes, const std::vector<Counters>& items) {
  std::vector<Counters> result;
  for (const Pass& pass : passes) {
    std::set<std::string> counters;
    for (const std::size_t item : pass.items()) counters.insert(items[item].begin(), items[item].end());
    result.emplace_back(counters.begin(), counters.end());
  }
  return result;
}

// An item that no open pass takes opens one.
void open(std::vector<Pass>& passes, const Costs& costs, std::size_t item) {
  Pass pass{costs};
  if (pass.try_add(item)) passes.push_back(std::move(pass));
}

}  // namespace

std::vector<Counters> items_of(const planner::Request& request) {
  std::set<std::string> grouped;
  std::vector<Counters> items = request.groups;
  for (const Counters& group : request.groups) grouped.insert(group.begin(), group.end());
  for (const std::string& counter : request.counters)
    if (!grouped.contains(counter)) items.push_back({counter});
  return items;
}

std::vector<Counters> first_fit(const AgentCatalogue& catalogue, const std::vector<Counters>& items, Rule rule) {
  const Costs costs{catalogue, items, rule};
  std::vector<Pass> passes;
  for (std::size_t item = 0; item < items.size(); ++item) {
    bool placed = false;
    for (Pass& pass : passes)
      if ((placed = pass.try_add(item))) break;
    if (!placed) open(passes, costs, item);
  }
  return named(passes, items);
}

std::vector<Counters> next_fit(const AgentCatalogue& catalogue, const std::vector<Counters>& items, Rule rule) {
  const Costs costs{catalogue, items, rule};
  std::vector<Pass> passes;
  for (std::size_t item = 0; item < items.size(); ++item)
    if (passes.empty() || !passes.back().try_add(item)) open(passes, costs, item);
  return named(passes, items);
}

}  // namespace multipass::bench
