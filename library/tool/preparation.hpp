// SPDX-License-Identifier: MIT
//
// Everything that is decided before the first kernel: agents, counters, passes, and the configuration of every pass.
// Runs once inside the SDK's initialize call. A pass that is in a plan here has its configuration made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/dispatch_info.hpp"
#include "model/plan.hpp"
#include "model/run.hpp"
#include "sdk/instances.hpp"
#include "sdk/inventory.hpp"
#include "tool/start_up.hpp"

namespace multipass::tool {

struct PreparedAgent {
  sdk::SdkAgent agent;
  AgentPlan plan;
  std::vector<CounterInfo> counters;       // planned ones, sorted by name; CounterIndex is the position
  std::vector<std::uint64_t> counter_ids;  // SDK ids, same positions
  // How their instances are numbered, same positions; empty where they are not to be kept.
  std::vector<std::optional<sdk::InstanceShape>> instances{};
  std::vector<std::uint64_t> configs;             // one a pass
  std::vector<std::vector<CounterIndex>> groups;  // counters of each pass
  std::vector<std::string> named;                 // planned ones that are asked for here by number (":device=N")
  bool left_out = false;                          // by choice: no GPU that counts are wanted of
};

struct Preparation {
  std::vector<PreparedAgent> agents;          // all agents, CPUs too; agents[i] has AgentIndex i
  std::vector<std::string> sets;              // of metrics that were asked for and are known
  std::vector<std::uint32_t> compute_panels;  // that were asked for and are known
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // for information

  [[nodiscard]] bool plans_anything() const noexcept;  // some agent has a pass
  void drop_configs() noexcept;                        // nothing of it is to be collected after all
  // A launch on some agent takes more than one execution.
  [[nodiscard]] bool plans_replay(const ReplayExtras& extras = {}) const noexcept;
};

// `replays`: launches can be repeated, so that passes of one launch can be compared. Else no sentinel is planned.
// Adds to `cost` what it took.
[[nodiscard]] Result<Preparation> prepare(const RunConfig& config, bool replays, StartUpCost& cost);

}  // namespace multipass::tool
