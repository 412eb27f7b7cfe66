// SPDX-License-Identifier: MIT
#include "planner/search_state.hpp"

#include <algorithm>

#include "planner/bounds.hpp"

namespace multipass::planner {

SearchState::SearchState(const RegisterModel& model, const std::vector<Cost>& costs, PassIndex count)
    : model_(&model),
      required_(least_copies(model, costs)),
      shared_(required_.size()),
      copies_(required_.size()),
      slack_(model.pools().size()),
      has_(count * required_.size()),
      used_(count * model.pools().size()),
      hashes_(count) {
  std::vector<bool> needed(required_.size());
  for (const Cost& cost : costs)
    for (const RegisterId id : cost) {
      shared_[id] = needed[id];
      needed[id] = true;
    }
  for (PoolId pool = 0; pool < slack_.size(); ++pool) slack_[pool] = std::int64_t{count} * model.pools()[pool].capacity;
  for (RegisterId id = 0; id < required_.size(); ++id) slack_[model.registers()[id].pool] -= required_[id];
}

bool SearchState::is_possible() const noexcept {
  return std::none_of(slack_.begin(), slack_.end(), [](std::int64_t slack) { return slack < 0; });
}

bool SearchState::holds(PassIndex pass, const Cost& cost) const noexcept {
  return std::all_of(cost.begin(), cost.end(), [&](RegisterId id) { return has(pass, id); });
}

// Whether the pass has another accumulation of the counter that `id` accumulates.
bool SearchState::disturbed(PassIndex pass, RegisterId id) const noexcept {
  const RegisterId plain = model_->registers()[id].accumulates;
  if (plain == kNoRegister) return false;
  const std::vector<RegisterId>& rivals = model_->registers()[plain].accumulators;
  return std::any_of(rivals.begin(), rivals.end(), [&](RegisterId rival) { return has(pass, rival); });
}

bool SearchState::fits(PassIndex pass, const Cost& cost) const noexcept {
  PoolId pool = 0;
  std::uint32_t added = 0;  // to `pool`: costs are sorted by pool
  std::int64_t spent = 0;
  for (const RegisterId id : cost) {
    if (model_->registers()[id].pool != pool) {
      pool = model_->registers()[id].pool;
      added = 0;
      spent = 0;
    }
    if (has(pass, id)) continue;
    if (used(pass, pool) + ++added > model_->pools()[pool].capacity) return false;
    if (copies_[id] >= required_[id] && ++spent > slack_[pool]) return false;
    if (disturbed(pass, id)) return false;
  }
  return true;
}

Price SearchState::price(PassIndex pass, const Cost& cost) const noexcept {
  Price price;
  for (const RegisterId id : cost) {
    if (has(pass, id)) continue;
    price.load += model_->share(id);
    if (copies_[id] >= required_[id]) ++price.slack;
  }
  return price;
}

bool SearchState::add(PassIndex pass, const Cost& cost) {
  bool tighter = false;
  for (const RegisterId id : cost) {
    if (has(pass, id)) continue;
    flip(pass, id, true);
    ++used_[pass * slack_.size() + model_->registers()[id].pool];
    if (++copies_[id] > required_[id]) --slack_[model_->registers()[id].pool];
    tighter |= copies_[id] > required_[id] || (copies_[id] == required_[id] && shared_[id]);
    added_.emplace_back(pass, id);
  }
  return tighter;
}

void SearchState::take_back(std::size_t mark) {
  for (; added_.size() > mark; added_.pop_back()) {
    const auto [pass, id] = added_.back();
    flip(pass, id, false);
    --used_[pass * slack_.size() + model_->registers()[id].pool];
    if (copies_[id]-- > required_[id]) ++slack_[model_->registers()[id].pool];
  }
}

void SearchState::flip(PassIndex pass, RegisterId id, bool present) {
  has_[pass * required_.size() + id] = present;
  hash_.low -= mixed(hashes_[pass]);
  hash_.high -= mixed(~hashes_[pass]);
  hashes_[pass] ^= mixed(id + 1U);
  hash_.low += mixed(hashes_[pass]);
  hash_.high += mixed(~hashes_[pass]);
}

}  // namespace multipass::planner
