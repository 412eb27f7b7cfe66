// SPDX-License-Identifier: MIT
//
// A dispatch as the trace shows it: times that can be drawn, and one reading of each counter.
// Threads: pure functions over plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/dispatch.hpp"
#include "output/canonical.hpp"

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
[[nodiscard]] std::optional<Span> span_of(const Interval& interval) noexcept;
[[nodiscard]] std::optional<Span> span_of(const PassRecord& pass) noexcept;

// The times that stand for the dispatch (output/canonical.hpp).
[[nodiscard]] std::optional<Span> span_of(const DispatchRecord& dispatch);

// Each counter of the dispatch once, in order of index: its canonical reading (output/canonical.hpp).
// Every index of the dispatch must be below roles.requested.size().
[[nodiscard]] std::vector<Reading> readings_of(const DispatchRecord& dispatch, const CounterRoles& roles);

}  // namespace multipass::output::perfetto
