// SPDX-License-Identifier: MIT
//
// Session: answers the questions of the launch path. Is this dispatch wanted? How often is it to run? Which counters
// does this execution read?
//
//   filtered -> config_enter -> (pass_enter -> select -> pass_exit)* -> config_exit        a replayed dispatch
//   [filtered -> config_enter -> config_exit ->] filtered -> select                        one that is not replayed
//
// All calls of one dispatch come from its launching thread T. What pass T is in lives in a thread-local slot between
// pass_enter and pass_exit; every event that is delivered elsewhere carries its Execution with it.
// Threads: any number of T at once. The tables are immutable; the only shared state is the rotation of each agent,
// under a lock of that agent that is held for one map access. Never fails: what it does not know is run once, without
// counters. Launch-time cost: a table look-up.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "model/dispatch_info.hpp"
#include "replay/kernel_filter.hpp"

namespace multipass::replay {

// What one dispatch or execution gets.
struct Selection {
  std::uint64_t config = 0;  // SDK handle of the configuration, 0: no counters
  Execution execution;
};

// Of one agent: a configuration for each planned pass, in order.
struct AgentConfigs {
  std::vector<std::uint64_t> handles;
};

class Session final {
 public:
  // `agents[i]` belongs to AgentIndex i. `rotate`: executions outside of a replay loop take the groups in turn, for
  // each kernel; else they take group 0.
  Session(std::vector<AgentConfigs> agents, bool rotate, KernelFilter filter = {});

  // Whether the user's filter leaves the dispatch out, and why. It is asked whenever an execution begins and decides at
  // the first time only.
  [[nodiscard]] std::optional<FilterReason> filtered(const DispatchInfo& dispatch) noexcept;
  // A kernel became known; see KernelFilter.
  bool know(KernelId kernel, std::string_view demangled) noexcept { return filter_.know(kernel, demangled); }

  // How many passes the SDK is to make; 1: do not replay.
  [[nodiscard]] std::uint64_t config_enter(const DispatchInfo& dispatch) noexcept;
  void config_exit(const DispatchInfo& dispatch) noexcept;
  void pass_enter(const DispatchInfo& dispatch, PassIndex pass) noexcept;
  void pass_exit(const DispatchInfo& dispatch) noexcept;

  [[nodiscard]] Selection select(const DispatchInfo& dispatch) noexcept;

  // The pass that the calling thread is in for this dispatch, if any.
  [[nodiscard]] std::optional<PassIndex> current_pass(DispatchId dispatch) const noexcept;

 private:
  struct Rotation {
    std::mutex mutex;
    std::unordered_map<KernelId, std::uint32_t> next;  // guarded by mutex
  };
  [[nodiscard]] const AgentConfigs* configs(AgentIndex agent) const noexcept;
  [[nodiscard]] GroupIndex next_group(const DispatchInfo& dispatch, std::uint32_t groups) noexcept;

  const std::vector<AgentConfigs> agents_;
  const bool rotate_;
  KernelFilter filter_;
  std::vector<std::unique_ptr<Rotation>> rotations_;  // one an agent, so that agents never wait for each other
};

}  // namespace multipass::replay
