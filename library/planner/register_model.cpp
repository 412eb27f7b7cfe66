// SPDX-License-Identifier: MIT
#include "planner/register_model.hpp"

#include <algorithm>
#include <iterator>

#include "planner/overrides.hpp"

namespace multipass::planner {
namespace {

std::string pool_of(const std::string& arch, const std::string& block) {
  for (const SharedRegisters& shared : shared_registers())
    if (shared.arch == arch && shared.block == block) return std::string{shared.pool};
  return block;
}

std::uint32_t slots_of(const AgentCatalogue& catalogue, const std::string& block) {
  const auto known = catalogue.slots.find(block);
  std::uint32_t slots = known == catalogue.slots.end() ? 0 : known->second;
  for (const SlotOverride& limit : slot_overrides())
    if (limit.arch == catalogue.agent.name && limit.block == block) slots = std::min(slots, limit.slots);
  return slots;
}

}  // namespace

std::string accumulated_counter(const std::string& key_name) {
  const std::size_t at = key_name.find('@');
  return at == std::string::npos ? std::string{} : key_name.substr(0, at);
}

RegisterModel::RegisterModel(const AgentCatalogue& catalogue, const std::set<std::string>& counters)
    : catalogue_(catalogue) {
  collect(counters);
  make_pools();
  make_registers();
}

RegisterModel::Key RegisterModel::key_of(const RegisterKey& key) const {
  return {pool_of(catalogue_.agent.name, key.block), key};
}

void RegisterModel::collect(const std::set<std::string>& counters) {
  for (const std::string& counter : counters) {
    const auto keys = catalogue_.register_keys.find(counter);
    if (keys == catalogue_.register_keys.end()) continue;
    for (const RegisterKey& key : keys->second) {
      ids_.emplace(key_of(key), kNoRegister);
      if (std::string plain = accumulated_counter(key.name); !plain.empty())
        ids_.emplace(key_of({key.block, std::move(plain)}), kNoRegister);
    }
  }
}

// The keys are sorted by pool, so are ids. Blocks that share registers have as many as the smallest of them.
void RegisterModel::make_pools() {
  RegisterId next = 0;
  for (auto& [key, id] : ids_) {
    id = next++;
    const std::uint32_t slots = slots_of(catalogue_, key.key.block);
    if (pools_.empty() || pools_.back().name != key.pool)
      pools_.push_back({key.pool, slots});
    else
      pools_.back().capacity = std::min(pools_.back().capacity, slots);
  }
}

void RegisterModel::make_registers() {
  registers_.resize(ids_.size());
  PoolId pool = 0;
  for (const auto& [key, id] : ids_) {
    while (pools_[pool].name != key.pool) ++pool;
    registers_[id].pool = pool;
    const std::string plain = accumulated_counter(key.key.name);
    if (plain.empty()) continue;
    registers_[id].accumulates = ids_.at(key_of({key.key.block, plain}));
    registers_[registers_[id].accumulates].accumulators.push_back(id);
  }
}

Cost RegisterModel::cost_of(const std::vector<std::string>& counters) const {
  std::set<RegisterId> cost;
  for (const std::string& counter : counters) {
    const auto keys = catalogue_.register_keys.find(counter);
    if (keys == catalogue_.register_keys.end()) continue;
    for (const RegisterKey& key : keys->second) {
      const auto known = ids_.find(key_of(key));
      if (known == ids_.end()) continue;
      cost.insert(known->second);
      const RegisterId plain = registers_[known->second].accumulates;
      if (plain != kNoRegister) cost.insert(plain);
    }
  }
  return {cost.begin(), cost.end()};
}

}  // namespace multipass::planner
