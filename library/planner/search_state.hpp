// SPDX-License-Identifier: MIT
//
// The registers of all passes while a search fills them, and what every packing that is still possible must have.
// Owner: one search, on one thread. Refers to the RegisterModel, which must outlive it. Errors: none but
// std::bad_alloc. Cost: fits, add and take_back are linear in the registers of the cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "planner/register_model.hpp"

namespace multipass::planner {

using PassIndex = std::uint32_t;

// A step of splitmix64 (Steele, Lea, Flood 2014): unlike numbers look unrelated.
constexpr std::uint64_t mixed(std::uint64_t number) noexcept {
  number += 0x9e37'79b9'7f4a'7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return number ^ (number >> 31U);
}

// The registers of all passes, whichever pass is which. That two states have the same 128 bits is not to be expected
// in any number of nodes that a machine can visit.
struct StateHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const StateHash&, const StateHash&) = default;
};

struct HashOfState {
  std::size_t operator()(const StateHash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
};

// What an item would take in a pass; the smaller is the better. Slack comes first, since that is what runs out.
struct Price {
  std::uint32_t slack = 0;
  std::uint64_t load = 0;
  friend auto operator<=>(const Price&, const Price&) = default;
};

class SearchState final {
 public:
  // `costs` are all that the passes are to hold in the end.
  SearchState(const RegisterModel& model, const std::vector<Cost>& costs, PassIndex count);

  // False when the passes have fewer slots than there must be registers in them.
  [[nodiscard]] bool is_possible() const noexcept;
  [[nodiscard]] bool is_empty(PassIndex pass) const noexcept { return hashes_[pass] == 0; }
  [[nodiscard]] bool has_room(PassIndex pass, PoolId pool) const noexcept {
    return used(pass, pool) < model_->pools()[pool].capacity;
  }
  // Whether the pass has all registers of the cost.
  [[nodiscard]] bool holds(PassIndex pass, const Cost& cost) const noexcept;
  // Whether the pass has room for the cost, and all passes for what must then still come.
  [[nodiscard]] bool fits(PassIndex pass, const Cost& cost) const noexcept;
  [[nodiscard]] Price price(PassIndex pass, const Cost& cost) const noexcept;

  // Adds a cost that fits. True when other costs may fit other passes less than before: there is less slack, or a
  // further copy of a register that they need would now take some.
  bool add(PassIndex pass, const Cost& cost);
  // All that was added since `mark` was asked is taken out again.
  [[nodiscard]] std::size_t mark() const noexcept { return added_.size(); }
  void take_back(std::size_t mark);

  [[nodiscard]] const StateHash& hash() const noexcept { return hash_; }

 private:
  [[nodiscard]] bool has(PassIndex pass, RegisterId id) const noexcept { return has_[pass * required_.size() + id]; }
  [[nodiscard]] std::uint32_t used(PassIndex pass, PoolId pool) const noexcept {
    return used_[pass * slack_.size() + pool];
  }
  [[nodiscard]] bool disturbed(PassIndex pass, RegisterId id) const noexcept;
  void flip(PassIndex pass, RegisterId id, bool present);

  const RegisterModel* model_;
  std::vector<std::uint32_t> required_;  // by register: copies that every packing has at least
  std::vector<bool> shared_;             // by register: more than one cost has it
  std::vector<std::uint32_t> copies_;    // by register: passes that have it
  std::vector<std::int64_t> slack_;      // by pool: slots of all passes that are neither used nor needed later
  std::vector<bool> has_;                // by pass and register
  std::vector<std::uint32_t> used_;      // by pass and pool
  std::vector<std::uint64_t> hashes_;    // by pass
  StateHash hash_;
  std::vector<std::pair<PassIndex, RegisterId>> added_;
};

}  // namespace multipass::planner
