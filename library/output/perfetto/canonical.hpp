// SPDX-License-Identifier: MIT
//
// What of a dispatch stands for the whole of it: its times and one reading of each counter. The same rule as in the
// rocpd database, so that a reader who knows nothing of passes finds equal numbers in both.
// Threads: pure functions over plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/agent.hpp"
#include "model/dispatch.hpp"
#include "model/plan.hpp"

namespace multipass::output::perfetto {

struct Span {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;  // >= start_ns
  bool swapped = false;      // recorded with the start after the end
  friend bool operator==(const Span&, const Span&) = default;
};

struct Reading {
  CounterIndex counter;
  double value = 0;
  friend bool operator==(const Reading&, const Reading&) = default;
};

// The times of one execution; nothing when either is unknown (0) or beyond what a trace can hold (2^63).
[[nodiscard]] std::optional<Span> span_of(const PassRecord& pass) noexcept;

// The times of pass 0, else of the lowest pass that has any.
[[nodiscard]] std::optional<Span> span_of(const DispatchRecord& dispatch) noexcept;

// Per counter: true when the planner added it on its own (a sentinel in every pass that reads it).
[[nodiscard]] std::vector<bool> unrequested(const std::vector<CounterInfo>& counters, const AgentPlan& plan);

// Each counter of the dispatch once, in order of index: the reading of the lowest pass that delivered it.
// Counters that nobody asked for are left out. Every index must be below unrequested.size().
[[nodiscard]] std::vector<Reading> canonical_readings(const DispatchRecord& dispatch,
                                                      const std::vector<bool>& unrequested);

}  // namespace multipass::output::perfetto
