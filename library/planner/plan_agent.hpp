// SPDX-License-Identifier: MIT
//
// From what is wanted of one agent to the passes that collect it.
//
// Pure and deterministic: the same set of counters and groups gives the same plan in whatever order they come, on every
// machine; no clock is read, unless by the caller's cut-off. Threads: any (the oracle is called on the caller's).
// Errors: none but std::bad_alloc; what cannot be placed is in the plan, by name and with its reason. Cost:
// milliseconds for every counter of an agent, without the oracle; at most as long as the effort lasts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/agent.hpp"
#include "model/plan.hpp"

namespace multipass::planner {

// Whether the SDK accepts these counters (sorted, without duplicates) as one configuration. Must not throw, and must
// give the same answer to the same question; need not be monotone.
using Oracle = std::function<bool(const std::vector<std::string>& counters)>;

// What passes are compared by. Counters in the last are added to passes where they take nothing from anything else.
struct SentinelChoice {
  bool automatic = false;            // those that suit the architecture, see sentinels.cpp; `named` is not read then
  std::vector<std::string> named{};  // counters that the agent has, in any order; duplicates are ignored
  friend bool operator==(const SentinelChoice&, const SentinelChoice&) = default;
};

struct Request {
  std::vector<std::string> counters;             // duplicates are ignored
  std::vector<std::vector<std::string>> groups;  // counters that must share a pass; a member counts as requested
  SentinelChoice sentinels{};                    // none: passes hold what is asked for, and nothing else
  // Groups without which the request is met as well: one that is not possible is left out without a word.
  std::vector<std::vector<std::string>> loose_groups{};
  friend bool operator==(const Request&, const Request&) = default;
};

// The time that callers give a search of the default effort, several times what it needs: a machine must be very slow,
// or a request very strange, for this to strike.
inline constexpr std::chrono::seconds kSearchTime{10};

// Enough to settle every request of the project's own data many times over; spent to the last, about two seconds with
// its catalogues, longer with many more items.
inline constexpr std::uint64_t kDefaultEffort = 300'000;

struct Options {
  Oracle oracle;                          // empty: the register model decides alone
  std::uint64_t effort = kDefaultEffort;  // nodes of the search for fewer passes; 0: none is made
  // Asked now and then while a search lasts, until it says true. Then the whole plan is that of effort 0, not one that
  // depends on how far this machine came, and search_given_up is set. Empty: the search ends by its effort only.
  std::function<bool()> give_up = nullptr;
};

// Every pass of the plan is accepted by the register model and, if there is one, by the oracle.
//   - Without groups every placeable counter is in exactly one pass (a sentinel: in some others as well). With groups
//     each group is whole in at least one pass, and a counter of several groups may be in several passes. A group
//     inside another one is dropped.
//   - A counter that fits no pass, or that the oracle refuses alone, or that the agent does not have, is in
//     `unplaceable`. A group that is not possible is there too, under its counters joined by ','; its counters are
//     then planned singly. So are those of a loose group that is not possible, which is in no list.
//   - Counters without registers (constants) are left out: nothing needs to be counted for them.
//   - lower_bound <= passes.size(); proof is kBound when they are equal, and kSearch when a search came to its end
//     without finding fewer. With kNone fewer may be possible: a search with more effort could tell.
[[nodiscard]] AgentPlan plan_agent(const AgentCatalogue& catalogue, const Request& request, const Options& options);

// What is said of a plan whose search was given up after kSearchTime.
[[nodiscard]] std::string given_up_text();

}  // namespace multipass::planner
