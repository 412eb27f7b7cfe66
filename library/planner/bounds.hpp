// SPDX-License-Identifier: MIT
//
// How many passes are needed at least, whatever is tried. Pure; threads: any. Errors: none but std::bad_alloc.
// The costs are closed as in register_model.hpp, and each fits a pass of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "planner/register_model.hpp"
#include "planner/search.hpp"

namespace multipass::planner {

// By register: how many passes must program it at least. The largest of
//   - 1, when any cost has it;
//   - the accumulations of it that are needed, since they are in different passes and each has it beside itself;
//   - over all pools, ceil(registers that are needed together with it / what a pass that has it still has for them).
[[nodiscard]] std::vector<std::uint32_t> least_copies(const RegisterModel& model, const std::vector<Cost>& costs);

// What one pool must program in all passes together.
struct PoolNeed {
  std::uint32_t registers = 0;  // one that several passes must have counts once for each: the least copies
  std::uint32_t distinct = 0;
  std::uint32_t passes = 0;  // that have so many slots
};

// By pool.
[[nodiscard]] std::vector<PoolNeed> pool_needs(const RegisterModel& model, const std::vector<Cost>& costs);

// Bound A: over all pools, ceil(sum of least copies / capacity); and the most copies of any one register.
[[nodiscard]] std::uint32_t capacity_bound(const RegisterModel& model, const std::vector<Cost>& costs);

// Costs (their positions, ascending) of which no two share a pass, so that there are at least so many passes: as large
// a set as is found, one cost after the other.
[[nodiscard]] std::vector<std::size_t> clique_of(const RegisterModel& model, const std::vector<Cost>& costs);

struct PoolBound {
  std::uint32_t passes = 0;
  std::optional<PoolId> pool;  // the one that needs so many; unset when that was known before
};

// Bound B: over all pools, the fewest passes for that part of the costs that is in the pool, as far as a search can
// tell with half of the nodes, divided evenly. `bound` is one already, and passes are known to be enough: the result is
// between them.
[[nodiscard]] PoolBound pool_bound(const RegisterModel& model, const std::vector<Cost>& costs, std::uint32_t bound,
                                   std::uint32_t passes, Nodes& nodes);

}  // namespace multipass::planner
