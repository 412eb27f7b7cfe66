// SPDX-License-Identifier: MIT
//
// How many passes are needed at least, whatever is tried. Pure; threads: any. Errors: none but std::bad_alloc.
// The costs are closed as in register_model.hpp, and each fits a pass of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/register_model.hpp"
#include "planner/search.hpp"

namespace multipass::planner {

// By register: how many passes must program it at least. The largest of
//   - 1, when any cost has it;
//   - the accumulations of it that are needed, since they are in different passes and each has it beside itself;
//   - over all pools, ceil(registers that are needed together with it / what a pass that has it still has for them).
[[nodiscard]] std::vector<std::uint32_t> least_copies(const RegisterModel& model, const std::vector<Cost>& costs);

// Bound A: over all pools, ceil(sum of least copies / capacity); and the most copies of any one register.
[[nodiscard]] std::uint32_t capacity_bound(const RegisterModel& model, const std::vector<Cost>& costs);

// A set of costs of which no two share a pass: as large a one as is found, one cost after the other.
[[nodiscard]] std::uint32_t clique_bound(const RegisterModel& model, const std::vector<Cost>& costs);

// Bound B: over all pools, the fewest passes for that part of the costs that is in the pool, as far as a search can
// tell with half of the nodes, divided evenly. `bound` is one already, and passes are known to be enough: the result is
// between them.
[[nodiscard]] std::uint32_t pool_bound(const RegisterModel& model, const std::vector<Cost>& costs, std::uint32_t bound,
                                       std::uint32_t passes, Nodes& nodes);

}  // namespace multipass::planner
