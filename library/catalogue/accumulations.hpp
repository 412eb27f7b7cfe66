// SPDX-License-Identifier: MIT
//
// Counters that sum up a level in every cycle: SQ_LEVEL_WAVES_ACCUM is accumulate(SQ_LEVEL_WAVES, HIGH_RES).
// rocprofiler-compute divides them by events or cycles: the mean time of a fetch, the mean number of waves. The SDK
// knows the levels and how to accumulate them, and no counter of such a name until it is given a definition. Source:
// ROCm/rocm-systems @1b1610fc, projects/rocprofiler-compute. Threads: any. Errors: none but std::bad_alloc, where text
// is made.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/agent.hpp"
#include "model/run.hpp"

namespace multipass::catalogue {

struct AccumulatedLevel {
  std::string_view level;  // a counter of the SDK: "SQ_LEVEL_WAVES"
  std::string_view name;   // "SQ_LEVEL_WAVES_ACCUM"
  std::string_view of;     // for descriptions: "waves in flight"
};

// All that there are, sorted by name.
[[nodiscard]] std::span<const AccumulatedLevel> accumulated_levels() noexcept;

// How the SDK is told to count it: "accumulate(SQ_LEVEL_WAVES, HIGH_RES)".
[[nodiscard]] std::string expression_of(const AccumulatedLevel& accumulated);

// Whether the SDK counts all levels on this architecture ("gfx942"): on others none is defined.
[[nodiscard]] bool has_all_levels(std::string_view architecture) noexcept;

// This text names one; what is between names does not matter. Others of that ending are the user's own.
[[nodiscard]] bool names_accumulation(std::string_view list) noexcept;

// A run that may count some of them: it asks for panels, or names one.
[[nodiscard]] bool wants_accumulations(const RunConfig& config) noexcept;

// Those that the agent does not list, where its architecture has all levels and it has theirs. For a catalogue on
// paper: what a live SDK would list once it has the definitions.
void add_accumulations(AgentCatalogue& catalogue);

}  // namespace multipass::catalogue
