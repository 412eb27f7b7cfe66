// SPDX-License-Identifier: MIT
#include "planner/pass_model.hpp"

namespace multipass::planner {

PassModel::PassModel(const RegisterModel& model)
    : model_(&model), users_(model.registers().size()), used_(model.pools().size()) {}

std::uint32_t PassModel::rivals(RegisterId id) const noexcept {
  const RegisterId plain = model_->registers()[id].accumulates;
  if (plain == kNoRegister) return 0;
  std::uint32_t count = 0;
  for (const RegisterId other : model_->registers()[plain].accumulators)
    if (other != id && users_[other] > 0) ++count;
  return count;
}

bool PassModel::conflicts(RegisterId id) const noexcept {
  return users_[id] == 0 && rivals(id) > 0;
}

bool PassModel::fits(const Cost& item) const noexcept {
  if (overflow_ > 0) return false;
  const std::vector<Register>& registers = model_->registers();
  PoolId pool = 0;
  std::uint32_t added = 0;  // to `pool`; an item's registers come pool by pool
  RegisterId accumulated = kNoRegister;
  for (const RegisterId id : item) {
    if (registers[id].pool != pool) {
      pool = registers[id].pool;
      added = 0;
    }
    if (users_[id] == 0 && used_[pool] + ++added > model_->pools()[pool].capacity) return false;
    if (conflicts(id)) return false;
    // Two accumulations of one counter inside the item: they follow each other, since they are named alike.
    if (registers[id].accumulates == kNoRegister) continue;
    if (registers[id].accumulates == accumulated) return false;
    accumulated = registers[id].accumulates;
  }
  return true;
}

std::uint32_t PassModel::added_registers(const Cost& item) const noexcept {
  std::uint32_t added = 0;
  for (const RegisterId id : item)
    if (users_[id] == 0) ++added;
  return added;
}

std::uint64_t PassModel::added_load(const Cost& item) const noexcept {
  std::uint64_t load = 0;
  for (const RegisterId id : item)
    if (users_[id] == 0) load += model_->share(id);
  return load;
}

void PassModel::add(const Cost& item) noexcept {
  for (const RegisterId id : item) {
    if (users_[id]++ > 0) continue;
    const PoolId pool = model_->registers()[id].pool;
    overflow_ += rivals(id);
    ++total_;
    if (++used_[pool] > model_->pools()[pool].capacity) ++overflow_;
  }
}

void PassModel::remove(const Cost& item) noexcept {
  for (const RegisterId id : item) {
    if (--users_[id] > 0) continue;
    const PoolId pool = model_->registers()[id].pool;
    overflow_ -= rivals(id);
    --total_;
    if (used_[pool]-- > model_->pools()[pool].capacity) --overflow_;
  }
}

void tell_registers(const RegisterModel& model, const PassModel& pass, PassPlan& plan) {
  for (PoolId id = 0; id < model.pools().size(); ++id) {
    if (pass.used(id) == 0) continue;
    const Pool& pool = model.pools()[id];
    plan.registers[pool.name] = pass.used(id);
    plan.capacity[pool.name] = pool.capacity;
  }
}

}  // namespace multipass::planner
