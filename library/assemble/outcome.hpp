// SPDX-License-Identifier: MIT
//
// The judgement on one dispatch, from what was planned and what came. Pure; allocates nothing.
#pragma once

#include <optional>
#include <vector>

#include "assemble/reason.hpp"
#include "model/dispatch.hpp"

namespace multipass::assemble {

// What is planned for the dispatches of one agent.
struct AgentExpectation {
  std::vector<std::vector<CounterIndex>> groups;  // counters of each planned pass, each list sorted
  bool single_pass = false;                       // by choice: one group is all that is wanted (--replay off)
  bool left_out = false;                          // by choice: nothing is to be read on this agent (--gpus)
  bool warm_up = false;                           // a replayed dispatch has a warm-up pass too
  bool timing = false;                            // and a timing pass
};

// What is known of how a dispatch ran, beside its records.
struct RunFacts {
  bool offered = false;  // the SDK asked for the number of passes
  std::uint32_t passes_begun = 0;
  bool counters_chosen = false;             // at least one execution was given a configuration
  std::optional<FilterReason> filtered{};   // the user does not want it, and why
  std::optional<DeclineReason> declined{};  // it was not to be replayed, and why
  bool warm_up_ran = false;                 // the warm-up pass was submitted
  bool timed = false;                       // the timing pass delivered its times
  bool untold = false;                      // it ran several times, and not always in a pass that was told of
  bool window_open = false;                 // at the end its replay window had not been closed
  SafetyReasons despite{};                  // what would have declined its replay, and was lifted
  std::optional<DeclineReason> ended{};     // why its replay was ended before the last pass
};

struct Judgement {
  Outcome outcome = Outcome::kIncomplete;
  Reason reason;
};

// Reasons are single words where a program may act on them (name_of(DeclineReason), name_of(FilterReason), and
// "no_counters": nothing is planned for this agent; of a replayed dispatch the lifted ones, with commas), sentences
// where only people can. A replay that was ended early begins with the word: "copy_in_flight: ended after 2 of 6
// passes". `no_replay`: why no dispatch of this agent can be replayed, if so. It goes before what is known of the one
// dispatch.
[[nodiscard]] Judgement judge(const AgentExpectation& expected, std::optional<DeclineReason> no_replay,
                              const RunFacts& facts, const std::vector<PassRecord>& passes) noexcept;

// The SDK ran the dispatch without asking which counters are wanted, though some are.
[[nodiscard]] bool is_uncounted(const DispatchRecord& dispatch) noexcept;

}  // namespace multipass::assemble
