// SPDX-License-Identifier: MIT
//
// A request for counters and the plan made from it. Plain data; a plan is immutable once made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.hpp"

namespace multipass {

// One token of an events list, in the order given. `device` unset: every GPU.
struct CounterRequest {
  std::string counter;
  std::optional<std::uint32_t> device;
  std::uint32_t column = 1;  // 1-based column of the token in the list
  friend bool operator==(const CounterRequest&, const CounterRequest&) = default;
};

struct PassPlan {
  std::vector<std::string> counters;  // sorted by name; sentinels included
  // Sorted by name: those that are here to compare passes only. A counter that is asked for is none in the pass (or,
  // for its groups, the passes) where it is planned anyway.
  std::vector<std::string> sentinels;
  std::map<std::string, std::uint32_t> registers;  // block -> registers programmed
  std::map<std::string, std::uint32_t> capacity;   // block -> slots of the block (for the blocks in `registers`)
  friend bool operator==(const PassPlan&, const PassPlan&) = default;
};

struct UnplaceableCounter {
  std::string counter;  // of a group: its counters with commas between them, which are planned singly
  std::string reason;   // a sentence for people
  std::string block;    // block that lacks room, empty when the reason is another
  std::uint32_t needs = 0;
  std::uint32_t limit = 0;
  friend bool operator==(const UnplaceableCounter&, const UnplaceableCounter&) = default;

  [[nodiscard]] bool is_group() const noexcept { return counter.find(',') != std::string::npos; }
};

struct GroupPlacement {
  std::vector<std::string> counters;  // sorted
  std::uint32_t pass = 0;             // a pass that holds all of them
  friend bool operator==(const GroupPlacement&, const GroupPlacement&) = default;
};

// Counters of the request that people divide by one another.
struct PartnersPlacement {
  std::string name;                   // of what they are: "L2 hits and misses"
  std::vector<std::string> counters;  // sorted; two or more
  std::optional<std::uint32_t> pass;  // the first that first_with() finds; unset: they are in different passes
  friend bool operator==(const PartnersPlacement&, const PartnersPlacement&) = default;
};

// A sentinel that was asked for by name and compares nothing: it is read in fewer than two passes.
struct LeftOutSentinel {
  std::string counter;
  std::string reason;  // a sentence for people
  friend bool operator==(const LeftOutSentinel&, const LeftOutSentinel&) = default;
};

enum class Proof : std::uint8_t { kNone, kBound, kSearch };

// What a lower bound on the passes rests on.
enum class BoundKind : std::uint8_t {
  kSlots,        // the registers that a block must program, and the slots of a pass
  kClique,       // counters of which no two fit one pass
  kBlockSearch,  // a search of all ways to divide the counters of one block
};

// What one block asks of the passes.
struct BlockBound {
  std::string block;            // or blocks that share registers: "SP+SQ"
  std::uint32_t registers = 0;  // that all passes together program at least; what several must have counts for each
  std::uint32_t distinct = 0;
  std::uint32_t slots = 0;                // of a pass
  std::uint32_t passes = 0;               // registers over slots, rounded up
  std::optional<std::uint32_t> searched;  // passes that the block alone needs at least, where a search gave the bound
  bool binding = false;                   // the bound is what this block needs
  friend bool operator==(const BlockBound&, const BlockBound&) = default;
};

struct PlanBounds {
  BoundKind kind = BoundKind::kSlots;
  std::vector<BlockBound> blocks;                // by name
  std::vector<std::vector<std::string>> clique;  // of kClique: counters and groups, each needs a pass of its own
  // What the same counters take without groups, as a short search finds; unset: not asked, or there are no groups.
  std::optional<std::uint32_t> passes_without_groups;
  friend bool operator==(const PlanBounds&, const PlanBounds&) = default;
};

// Not in the capture: bounds, search_given_up, partners, left_out_sentinels, refused. Its warnings tell what users must
// know.
struct AgentPlan {
  AgentIndex agent;
  std::string arch;          // "gfx942"
  std::uint32_t device = 0;  // ordinal among GPU agents
  std::vector<PassPlan> passes;
  std::uint32_t lower_bound = 0;
  PlanBounds bounds;             // why the lower bound is what it is
  Proof proof = Proof::kNone;    // kNone: it is not known that fewer passes are impossible
  bool search_given_up = false;  // the search for fewer passes was cut off: the plan is that of first fit
  std::vector<GroupPlacement> groups;
  std::vector<PartnersPlacement> partners;
  std::vector<UnplaceableCounter> unplaceable;
  std::vector<LeftOutSentinel> left_out_sentinels{};  // sorted by counter
  // Sets of counters that fit one pass by their registers and that the SDK did not take together; divided further.
  std::vector<std::vector<std::string>> refused{};
  friend bool operator==(const AgentPlan&, const AgentPlan&) = default;

  // The first pass that has all of these, which are sorted, as counters and none of them as a sentinel.
  [[nodiscard]] std::optional<std::uint32_t> first_with(const std::vector<std::string>& counters) const {
    for (std::uint32_t i = 0; i < passes.size(); ++i) {
      const PassPlan& pass = passes[i];
      const auto is_sentinel = [&pass](const std::string& name) {
        return std::binary_search(pass.sentinels.begin(), pass.sentinels.end(), name);
      };
      if (std::includes(pass.counters.begin(), pass.counters.end(), counters.begin(), counters.end()) &&
          std::none_of(counters.begin(), counters.end(), is_sentinel))
        return i;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool proven_minimal() const noexcept { return proof != Proof::kNone; }
};

}  // namespace multipass
