// SPDX-License-Identifier: MIT
//
// First-fit-decreasing and its relatives: several orders of the items, several choices of the pass, then rounds in
// which what came last goes first. Fast, deterministic, not exact. Pure; threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/items.hpp"

namespace multipass::planner {

// Passes as lists of items, each sorted.
using Packing = std::vector<std::vector<ItemId>>;

// The best packing of the core items that was found: fewest passes, then fewest registers programmed. No rounds are
// made once it has `bound` passes.
[[nodiscard]] Packing pack_first_fit(const Items& items, std::uint32_t bound);

// The first packing of the core items that has no more than `count` passes, each pass sorted; nothing when a few tries
// find none.
[[nodiscard]] std::optional<Packing> first_packing(const Items& items, std::uint32_t count);

// The same packing with every other item in the pass of its leader.
[[nodiscard]] Packing with_followers(const Items& items, Packing core);

}  // namespace multipass::planner
