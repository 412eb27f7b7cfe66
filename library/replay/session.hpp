// SPDX-License-Identifier: MIT
//
// Session: answers the questions of the launch path. Is this dispatch wanted? How often is it to run? Which counters
// does this execution read?
//
//   config_enter -> (pass_enter -> choose -> pass_exit)* -> config_exit        a replayed dispatch: first the passes
//                                                                              without counters that are wanted, then
//                                                                              one for each group
//   [config_enter -> config_exit ->] choose                                    one that is not replayed
//
// All calls of one dispatch come from its launching thread T. What was decided of a dispatch that T launches, and the
// pass that it is in, live in a thread-local stack (LaunchStack); every event that is delivered elsewhere carries its
// Execution with it. A dispatch is decided on once, at the first question.
// Threads: any number of T at once. The configurations are immutable; what is shared belongs to one agent and has a
// lock of its own that is held for one map access; what agents share is atomics (Admission). Never fails: what it does
// not know is run once, without counters.
// Launch-time cost: table look-ups.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/dispatch_info.hpp"
#include "model/run.hpp"
#include "replay/admission.hpp"
#include "replay/kernel_filter.hpp"
#include "replay/launch_stack.hpp"
#include "replay/launch_table.hpp"
#include "replay/no_replay_list.hpp"

namespace multipass::replay {

// Of one agent: a configuration for each planned pass, in order.
struct AgentConfigs {
  std::vector<std::uint64_t> handles;
};

// The answer to the SDK's question how often a dispatch is to run.
struct Offer {
  Decision decision;
  std::uint64_t passes = 1;  // 1: do not replay
};

// What one execution gets.
struct Selection {
  Decision decision;
  std::uint64_t config = 0;  // SDK handle of the configuration, 0: no counters
  Execution execution;
};

// Which of the dispatches that are wanted are not to be replayed.
struct ReplayLimits {
  NoReplayList no_replay;
  std::uint64_t max_replays = 0;  // of each launch shape on an agent; 0: no limit
  AdmissionLimits admission{};
};

// What is known of a replay window when it is over.
struct WindowEnd {
  SafetyReasons despite;                       // what would have declined it and was lifted
  std::optional<DeclineReason> ended_early{};  // why it has fewer passes than it was to have
};

class Session final {
 public:
  // `agents[i]` belongs to AgentIndex i. `rotate`: executions outside of a replay loop take the groups in turn, for
  // each launch shape of a kernel; else they take group 0.
  // `extras`: what replayed dispatches run before the passes with counters, which keep the numbers 0..N-1.
  Session(std::vector<AgentConfigs> agents, bool rotate, KernelFilter filter = {}, ReplayLimits limits = {},
          ReplayExtras extras = {}, const Surroundings& around = {});

  // A kernel became known, before its first dispatch. A pattern that could not be searched in its name to the end
  // counts as not found by the filter (`filter_searched` is false), and as found by the no-replay list
  // (`list_searched` is).
  struct Known {
    bool filter_searched = true;
    bool list_searched = true;
  };
  Known know(KernelId kernel, std::string_view demangled) noexcept;
  // It was unloaded and is not launched again.
  void forget(KernelId kernel) noexcept;

  [[nodiscard]] Offer config_enter(const DispatchInfo& dispatch) noexcept;
  // After a pass that another one may follow. False: no more are to run.
  [[nodiscard]] bool goes_on(const DispatchInfo& dispatch) noexcept;
  WindowEnd config_exit(const DispatchInfo& dispatch) noexcept;
  // `pass`: the SDK's number of it.
  void pass_enter(const DispatchInfo& dispatch, PassIndex pass) noexcept;
  void pass_exit(const DispatchInfo& dispatch) noexcept;

  // An execution begins. Outside of a pass it is the only one of its dispatch, and the launch is over with it.
  [[nodiscard]] Selection choose(const DispatchInfo& dispatch) noexcept;

  // The calling thread is in a replay window: what it does there is the SDK's doing.
  [[nodiscard]] static bool in_window() noexcept;

  // Who admits replays, to be told of executions and to be asked what became of them.
  [[nodiscard]] Admission& admission() noexcept { return *admission_; }
  [[nodiscard]] const Admission& admission() const noexcept { return *admission_; }
  // How many replays of a launch shape are still to be had; empty: there is no limit.
  [[nodiscard]] std::optional<std::uint64_t> replays_left(AgentIndex agent, const LaunchShape& shape) const noexcept;

  // What the pass is that the calling thread is in for this dispatch, if any; else an execution without a pass.
  [[nodiscard]] Execution current(const DispatchInfo& dispatch) const noexcept;

 private:
  [[nodiscard]] const AgentConfigs* configs(AgentIndex agent) const noexcept;
  // Executions that a replay on the agent takes; below 2: nothing is replayed there.
  [[nodiscard]] std::uint64_t executions(const AgentConfigs* agent) const noexcept;
  // What the pass that the launch is in is for.
  [[nodiscard]] Execution execution_of(const Launch& launch, const AgentConfigs* agent) const noexcept;
  // `offered`: the SDK asks how often the dispatch is to run.
  Launch& decided(const DispatchInfo& dispatch, bool offered) noexcept;
  [[nodiscard]] std::optional<DeclineReason> not_replayed(const DispatchInfo& dispatch, Launch& launch,
                                                          bool offered) noexcept;
  [[nodiscard]] std::optional<DeclineReason> not_admitted(const DispatchInfo& dispatch, Launch& launch) noexcept;
  Launch& open(const DispatchInfo& dispatch) noexcept;
  void close(Launch& launch) noexcept;  // what its replay has taken
  [[nodiscard]] GroupIndex next_group(const DispatchInfo& dispatch, std::uint32_t groups) noexcept;

  const std::vector<AgentConfigs> agents_;
  const bool rotate_;
  KernelFilter filter_;
  const ReplayLimits limits_;
  const ReplayExtras extras_;
  std::unique_ptr<Admission> admission_;              // never null; apart, for it does not move
  std::vector<std::unique_ptr<LaunchTable>> tables_;  // by AgentIndex
};

}  // namespace multipass::replay
