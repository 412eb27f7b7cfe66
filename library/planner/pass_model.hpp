// SPDX-License-Identifier: MIT
//
// The registers of one pass while it is being filled. Items can be added and taken out in any order; the pass knows at
// any time whether it fits and by how much it does not, so a search may go through states that do not fit.
// Owner: one packing attempt, on one thread. Refers to the RegisterModel, which must outlive it.
// Cost: add, remove and fits are linear in the item's registers and allocate nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "model/plan.hpp"
#include "planner/register_model.hpp"

namespace multipass::planner {

class PassModel final {
 public:
  explicit PassModel(const RegisterModel& model);

  // Whether the pass would still hold everything with this item.
  [[nodiscard]] bool fits(const Cost& item) const noexcept;
  // Registers that the item would add; those that are programmed already are free.
  [[nodiscard]] std::uint32_t added_registers(const Cost& item) const noexcept;
  // As before, each register weighted by its share of its pool: how much of the pass the item would take.
  [[nodiscard]] std::uint64_t added_load(const Cost& item) const noexcept;

  void add(const Cost& item) noexcept;
  void remove(const Cost& item) noexcept;  // an item that was added

  // 0: the pass can be programmed. Else registers too many, plus accumulations too many of one counter.
  [[nodiscard]] std::uint32_t overflow() const noexcept { return overflow_; }
  [[nodiscard]] std::uint32_t used(PoolId pool) const noexcept { return used_[pool]; }
  [[nodiscard]] std::uint32_t total_used() const noexcept { return total_; }

 private:
  [[nodiscard]] bool conflicts(RegisterId id) const noexcept;
  // Accumulations of the counter that `id` accumulates, `id` excluded, that are in the pass.
  [[nodiscard]] std::uint32_t rivals(RegisterId id) const noexcept;

  const RegisterModel* model_;
  std::vector<std::uint32_t> users_;  // by register: items that need it
  std::vector<std::uint32_t> used_;   // by pool
  std::uint32_t total_ = 0;
  std::uint32_t overflow_ = 0;
};

// What a pass programs, into its plan: of every pool that it uses, the registers and how many there are.
void tell_registers(const RegisterModel& model, const PassModel& pass, PassPlan& plan);

}  // namespace multipass::planner
