// SPDX-License-Identifier: MIT
//
// Ratio partners kept in one pass, where that costs no pass: their items are made one item, and packed again.
// Pure and bounded in nodes; threads: any. Errors: none but std::bad_alloc. docs/planner.md is the description.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/first_fit.hpp"
#include "planner/items.hpp"
#include "planner/partners.hpp"
#include "planner/search.hpp"

namespace multipass::planner {

// A packing problem in which several items of another one are one item.
struct Glued {
  Items items;
  std::vector<std::vector<ItemId>> parts;  // by item of `items`: the items of the other problem that are in it
};

// Items that must share a pass.
using Bundle = std::vector<ItemId>;

// Bundles that have an item in common become one. Nothing when one of them does not fit a pass.
[[nodiscard]] std::optional<Glued> glue(const Items& items, const std::vector<Bundle>& bundles);

// From a packing of all glued items to one of the items that they are made of.
[[nodiscard]] Packing unglued(const Glued& glued, const Packing& passes);

struct KeptPartners {
  Glued glued;
  Packing passes;  // of the core of glued.items
};

// `passes` is a packing of the core of `items`. As many of the partners in one pass as are found to be possible with no
// more passes: all of them, or else those that are together anyway and, by halves and in their order, what can be
// added. Nothing when none can be kept. Spends at most `nodes`.
[[nodiscard]] std::optional<KeptPartners> keep_partners(const Items& items, const std::vector<AskedPartners>& asked,
                                                        const Packing& passes, Nodes& nodes);

}  // namespace multipass::planner
