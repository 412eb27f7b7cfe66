// SPDX-License-Identifier: MIT
//
// The arguments that the trace shows for a dispatch, for one of its passes, and for the run.
// Threads: pure functions. Keys are listed in docs/formats/perfetto.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/agent.hpp"
#include "model/dispatch.hpp"
#include "model/plan.hpp"
#include "model/run.hpp"
#include "output/perfetto/annotation.hpp"
#include "output/perfetto/dispatch_view.hpp"

namespace multipass::output::perfetto {

// The counters of a pass for people: those that are there to compare passes only are marked.
[[nodiscard]] std::vector<std::string> planned_names(const PassPlan& pass);

// An exact integer when the value is one of at most 2^53, the double otherwise.
[[nodiscard]] AnnotationValue number(double value) noexcept;

// `counters`: names by CounterIndex. The result refers to them and to nothing else.
[[nodiscard]] std::vector<Annotation> dispatch_annotations(const DispatchRecord& dispatch, const AgentPlan& plan,
                                                           std::vector<AnnotationKey>& counters,
                                                           const std::vector<Reading>& readings);

[[nodiscard]] std::vector<Annotation> pass_annotations(const DispatchRecord& dispatch, const PassRecord& pass);

// Of an execution without counters.
[[nodiscard]] std::vector<Annotation> extra_annotations(const DispatchRecord& dispatch, ExecutionKind kind);

// What was written, and what could not be drawn as it was recorded.
struct Tally {
  std::uint64_t dispatches = 0;
  std::uint64_t without_times = 0;         // dispatches drawn as instants
  std::uint64_t passes_without_times = 0;  // executions of a replay that are not drawn
  std::uint64_t swapped_times = 0;         // executions recorded with start > end
  std::vector<std::string> warnings;
  std::uint64_t warnings_dropped = 0;
};

// What the formulas of metrics need of a GPU, as a line: "GPU 0 [gfx942] cu_count=304, ...".
[[nodiscard]] std::string properties_line(const AgentInfo& agent);

// `properties`: a line for each GPU; it is written where sets of metrics were asked for.
[[nodiscard]] std::vector<Annotation> run_annotations(const RunMetadata& run, const std::vector<AgentPlan>& gpus,
                                                      const std::vector<std::string>& properties, const Tally& tally);

}  // namespace multipass::output::perfetto
