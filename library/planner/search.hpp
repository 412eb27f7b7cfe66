// SPDX-License-Identifier: MIT
//
// Exact search for a packing into a given number of passes. docs/planner.md says why each of its cuts is allowed.
// Bounded in nodes, so that every machine finds the same; only the caller's cut-off may end a search before that, and
// what it found is then not to be used. Threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "planner/first_fit.hpp"
#include "planner/register_model.hpp"

namespace multipass::planner {

// Whether the caller wants no more of it. Once it has said so, it is not asked again.
class CutOff final {
 public:
  CutOff() = default;
  explicit CutOff(std::function<bool()> asked) : asked_(std::move(asked)) {}

  bool strikes() { return struck_ || (asked_ && (struck_ = asked_())); }
  [[nodiscard]] bool has_struck() const noexcept { return struck_; }

 private:
  std::function<bool()> asked_;
  bool struck_ = false;
};

// What searches may still spend. A node is one item placed into one pass for a trial: 2 to 10 us, and up to 50 bytes.
struct Nodes {
  std::uint64_t left = 0;
  CutOff* cut_off = nullptr;  // asked every kNodesPerQuestion nodes at most; null: there is none

  [[nodiscard]] bool cut_off_struck() const noexcept { return cut_off != nullptr && cut_off->has_struck(); }
};

inline constexpr std::uint64_t kNodesPerQuestion = 1'024;

enum class Outcome : std::uint8_t {
  kFound,
  kImpossible,  // no packing has so few passes
  kGaveUp,      // not known: the nodes are spent, the cut-off struck, or there are more than kMostSearchedPasses
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
