// SPDX-License-Identifier: MIT
//
// The panels of rocprofiler-compute: which counters the metrics of its tables need on a GPU.
//
// The data is in the code, as that of the sets is. A metric of a panel has a number for its table in its name and no
// formula: rocprofiler-compute computes it, from all that the passes of a dispatch read. So its counters are wanted in
// one pass, and it is not lost where no pass has room for them: they are a loose group of the planner.
// Pure. Threads: any. Errors: none but std::bad_alloc; what a GPU cannot have is in the result, by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "catalogue/resolve.hpp"
#include "metrics/metrics.hpp"
#include "model/agent.hpp"
#include "model/plan.hpp"

namespace multipass::metrics {

// A metric of which the GPU does not list some counters.
struct LostMetric {
  std::string name;  // "15.1 Sequencer"
  std::vector<std::string> missing;
  friend bool operator==(const LostMetric&, const LostMetric&) = default;
};

// What panels mean on one GPU.
struct PanelExpansion {
  bool known = true;                 // the panels of this architecture; a GPU without counters has nothing to tell
  std::vector<Metric> metrics;       // in the order of the data; all their counters are counters of the GPU
  std::vector<LostMetric> lost;      // in the order of the data
  std::vector<std::string> units;    // counters that some of the metrics may be divided by, as their user chooses
  std::vector<std::uint32_t> split;  // panels with metrics of single channels
};

// Panels on a GPU, for messages. Neither is null, nor is one below.
struct GpuPanels {
  const AgentInfo* gpu;
  const PanelExpansion* panels;
};

// All panels there are, rising.
[[nodiscard]] std::vector<std::uint32_t> panel_numbers();

// "all", or numbers with commas between them: each once, rising. An error says what is allowed.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_panels(std::string_view text);

// Those of `numbers` that there are, each once and rising; a sentence for each of the others in `problems`.
[[nodiscard]] std::vector<std::uint32_t> known_panels(const std::vector<std::uint32_t>& numbers,
                                                      std::vector<std::string>& problems);

// `panels` are known ones. A metric that needs a counter that the GPU does not list is lost, and its other counters are
// not wanted for its sake.
[[nodiscard]] PanelExpansion expand_panels(const std::vector<std::uint32_t>& panels, const AgentCatalogue& gpu);

// Wants the counters of all metrics, those of each in one pass if there is one with room for them.
void add_panels(catalogue::DeviceRequest& request, const PanelExpansion& panels);

// What will be missing; GPUs of which the same is told are in one sentence, here and below. `keeps_instances`: so that
// there are channels.
[[nodiscard]] std::vector<std::string> panel_warnings(const std::vector<GpuPanels>& gpus, bool keeps_instances);

// The metrics of a GPU with a plan.
struct PlannedPanels {
  const AgentInfo* gpu;
  const AgentPlan* plan;
  const std::vector<Metric>* metrics;  // those of sets are passed over
};

// Metrics with a counter that is in no pass of the plan, which says why.
[[nodiscard]] std::vector<std::string> unplanned_warnings(const std::vector<PlannedPanels>& gpus);

// Metrics whose counters are in several passes.
[[nodiscard]] std::vector<std::string> spread_notes(const std::vector<PlannedPanels>& gpus);

}  // namespace multipass::metrics
