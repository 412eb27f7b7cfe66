// SPDX-License-Identifier: MIT
#include "planner/bounds.hpp"

#include <algorithm>
#include <vector>

namespace multipass::planner {

std::uint32_t capacity_bound(const Items& items) {
  const std::vector<Register>& registers = items.model.registers();
  std::vector<bool> needed(registers.size());
  for (const Item& item : items.all)
    for (const RegisterId id : item.cost) needed[id] = true;

  std::uint32_t bound = items.all.empty() ? 0 : 1;
  std::vector<std::uint32_t> demand(items.model.pools().size());
  for (RegisterId id = 0; id < registers.size(); ++id) {
    if (!needed[id]) continue;
    const auto flags =
        static_cast<std::uint32_t>(std::count_if(registers[id].accumulators.begin(), registers[id].accumulators.end(),
                                                 [&](RegisterId accumulator) { return needed[accumulator]; }));
    demand[registers[id].pool] += std::max(1U, flags);
    bound = std::max(bound, flags);
  }
  for (std::size_t pool = 0; pool < demand.size(); ++pool) {
    const std::uint32_t capacity = items.model.pools()[pool].capacity;
    if (demand[pool] > 0) bound = std::max(bound, (demand[pool] + capacity - 1) / capacity);
  }
  return bound;
}

}  // namespace multipass::planner
