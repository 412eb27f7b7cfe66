// SPDX-License-Identifier: MIT
//
// Exact search for a packing into a given number of passes. docs/planner.md says why each of its cuts is allowed.
// Pure and bounded in nodes, so that every machine finds the same. Threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/first_fit.hpp"
#include "planner/register_model.hpp"

namespace multipass::planner {

// What searches may still spend. A node is one item placed into one pass for a trial: 2 to 10 us, and up to 50 bytes.
struct Nodes {
  std::uint64_t left = 0;
};

enum class Outcome : std::uint8_t {
  kFound,
  kImpossible,  // no packing has so few passes
  kGaveUp,      // not known: the nodes are spent, or there are more passes than kMostSearchedPasses
};

struct SearchResult {
  Outcome outcome = Outcome::kGaveUp;
  Packing passes;  // of kFound: no more than asked for, of indices into the costs, each sorted
};

inline constexpr std::uint32_t kMostSearchedPasses = 64;

// Packs the costs into `count` passes. Each cost fits a pass of its own, and none is part of another.
[[nodiscard]] SearchResult search_packing(const RegisterModel& model, const std::vector<Cost>& costs,
                                          std::uint32_t count, Nodes& nodes);

}  // namespace multipass::planner
