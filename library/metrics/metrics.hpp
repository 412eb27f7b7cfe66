// SPDX-License-Identifier: MIT
//
// Metric sets: named lists of derived metrics, each with a formula over counters for the architectures where it holds.
//
// The data is in the code (embedded.hpp) and is read as JSON by the functions that need it, so that a run without sets
// pays nothing. The counters of a metric must be read in one pass: each metric is a group of the planner. Values are
// computed by the readers (python/rocprofsys_multipass/metrics).
// Pure. Threads: any. Errors: none but std::bad_alloc; what a GPU cannot have is in the result, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/resolve.hpp"
#include "model/agent.hpp"
#include "model/plan.hpp"

namespace multipass::metrics {

// A metric as it is on one architecture.
struct Metric {
  std::string name;
  std::string set;
  std::string unit;
  std::string formula;                // empty: of a panel (panels.hpp)
  std::vector<std::string> counters;  // of the formula, sorted

  [[nodiscard]] bool of_panel() const noexcept { return formula.empty(); }
  friend bool operator==(const Metric&, const Metric&) = default;
};

// The names asked for, told apart.
struct SetNames {
  std::vector<std::string> known;     // each once, in the order of the data
  std::vector<std::string> problems;  // a sentence for each name that is no set, with the nearest and those there are
};

// What sets mean on one GPU.
struct Expansion {
  std::vector<Metric> metrics;        // in the order of the data; all their counters are counters of the GPU
  std::vector<std::string> warnings;  // a set without a metric here, metrics that are left out
};

struct PlannedMetric {
  Metric metric;
  std::optional<std::uint32_t> pass;  // nothing: no pass is planned with all its counters
  friend bool operator==(const PlannedMetric&, const PlannedMetric&) = default;
};

// Counters of the metric that the GPU does not list.
[[nodiscard]] std::vector<std::string> missing_counters(const Metric& metric, const AgentCatalogue& gpu);

// All sets there are.
[[nodiscard]] std::vector<std::string> set_names();

[[nodiscard]] SetNames check_names(const std::vector<std::string>& names);

// `sets` are known names. A GPU without counters has nothing and gives no warning: resolve() tells of it.
[[nodiscard]] Expansion expand(const std::vector<std::string>& sets, const AgentCatalogue& gpu);

// Wants the counters of all metrics, those of each in one pass; of a panel's, if there is one with room for them.
void add_to(catalogue::DeviceRequest& request, const std::vector<Metric>& metrics);

// Each metric with the first pass where all its counters are planned, and none is a sentinel.
[[nodiscard]] std::vector<PlannedMetric> place(std::vector<Metric> metrics, const AgentPlan& plan);

// What to tell of something that was asked for and has no place on a GPU, of which `metrics` are wanted: why, which of
// them are lost with it, and what helps, where something does. Metrics of panels are told of together (panels.hpp).
[[nodiscard]] std::string text_of_unplaceable(const UnplaceableCounter& unplaceable,
                                              const std::vector<Metric>& metrics);

}  // namespace multipass::metrics
