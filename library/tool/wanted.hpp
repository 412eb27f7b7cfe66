// SPDX-License-Identifier: MIT
//
// What a run is asked for, understood for each GPU: events, groups, sets of metrics, panels, sentinels. What cannot be
// is a warning of the Preparation, what is for information a note. Owner: the preparation, on its thread. Errors: none
// but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalogue/resolve.hpp"
#include "events/parse.hpp"
#include "metrics/metrics.hpp"
#include "model/agent.hpp"
#include "model/run.hpp"
#include "planner/plan_agent.hpp"
#include "sdk/inventory.hpp"
#include "tool/preparation.hpp"

namespace multipass::tool {

// A GPU while it is prepared.
struct Gpu {
  std::size_t agent = 0;  // position in Preparation::agents
  std::vector<sdk::SdkCounter> counters;
  std::unordered_map<std::string, std::uint64_t> ids;
  AgentCatalogue catalogue;
  bool refused = false;                  // its counters could not be listed, and a warning has said so
  std::vector<metrics::Metric> metrics;  // of the sets and panels asked for
};

// The SDK's ids of counters that the GPU has.
[[nodiscard]] std::vector<std::uint64_t> ids_of(const Gpu& gpu, const std::vector<std::string>& names);

[[nodiscard]] events::ParsedEvents parse_events(const RunConfig& config, Preparation& preparation);

[[nodiscard]] catalogue::Resolution resolve(const RunConfig& config, const events::ParsedEvents& parsed,
                                            const std::vector<Gpu>& gpus, Preparation& preparation);

// Each GPU gets the metrics of its own architecture, but those that are left out.
void add_sets(const RunConfig& config, std::vector<Gpu>& gpus, catalogue::Resolution& resolution,
              Preparation& preparation);

// The same for panels of rocprofiler-compute.
void add_panels(const RunConfig& config, std::vector<Gpu>& gpus, catalogue::Resolution& resolution,
                Preparation& preparation);

// Of panels, once the GPUs are planned: what is lost, and what is in several passes.
void tell_planned_panels(const std::vector<Gpu>& gpus, Preparation& preparation);

// By GPU; `replays` as for prepare(): without, the names are judged all the same, and a note says that none is read.
// After it is settled which GPUs are left out.
[[nodiscard]] std::vector<planner::SentinelChoice> choose_sentinels(const RunConfig& config, bool replays,
                                                                    const std::vector<Gpu>& gpus,
                                                                    Preparation& preparation);

}  // namespace multipass::tool
