// SPDX-License-Identifier: MIT
//
// A packing that the register model accepts, made acceptable to the oracle (the SDK) as well.
// Owner: one plan_agent call, on its thread. Errors: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "planner/first_fit.hpp"
#include "planner/items.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::planner {

// The oracle with a memory: each question reaches it once.
class AskedOracle final {
 public:
  explicit AskedOracle(const Oracle& oracle) : oracle_(oracle) {}

  [[nodiscard]] bool exists() const noexcept { return static_cast<bool>(oracle_); }
  [[nodiscard]] bool accepts(const std::vector<std::string>& counters);  // sorted
  [[nodiscard]] std::size_t asked() const noexcept { return answers_.size(); }

 private:
  const Oracle& oracle_;
  std::map<std::vector<std::string>, bool> answers_;
};

// The counters of these items: sorted, without duplicates.
[[nodiscard]] std::vector<std::string> counters_of(const Items& items, const std::vector<ItemId>& pass);

// Adds to `refusals` the counters and groups of refused passes that the oracle does not even take alone. True when
// there were any: the items must be made again without them.
[[nodiscard]] bool find_refusals(const Items& items, const Packing& passes, AskedOracle& oracle, Refusals& refusals);

// The counters of each pass that the oracle refuses: sets that the model accepts. Sorted.
[[nodiscard]] std::vector<std::vector<std::string>> refused_passes(const Items& items, const Packing& passes,
                                                                   AskedOracle& oracle);

// Moves items out of refused passes into others, or into new ones, until the oracle accepts every pass. Only after
// find_refusals returned false. The model still accepts every pass.
[[nodiscard]] Packing split_refused(const Items& items, Packing passes, AskedOracle& oracle);

}  // namespace multipass::planner
