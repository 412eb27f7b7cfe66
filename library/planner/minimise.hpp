// SPDX-License-Identifier: MIT
//
// The items of a request in as few passes as can be found, ratio partners together where that costs none of them, and
// what is known of the minimum.
// Pure; threads: any. Errors: none but std::bad_alloc. docs/planner.md is the description.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/first_fit.hpp"
#include "planner/items.hpp"
#include "planner/partners.hpp"
#include "planner/search.hpp"

namespace multipass::planner {

struct Minimised {
  Packing passes;                       // of all items, each sorted
  std::uint32_t bound = 0;              // no packing has fewer passes, by a bound
  std::uint32_t at_least = 0;           // likewise, by the bound or by a search that came to its end; >= bound
  std::vector<ItemId> clique;           // core items of which no two share a pass; empty when none was looked for
  std::optional<PoolId> searched_pool;  // where a search of one pool alone gave the bound
  bool given_up = false;                // the cut-off struck, so this is the result without nodes
};

// `partners` change neither the number of passes nor what is known of it. When the cut-off strikes, nothing that was
// found until then is used: the result is that of no nodes, which is the same on every machine.
[[nodiscard]] Minimised minimise(const Items& items, const std::vector<AskedPartners>& partners, Nodes nodes);

}  // namespace multipass::planner
