// SPDX-License-Identifier: MIT
//
// Strong ids: values that must not be mixed up have types that cannot be. Threads: plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace multipass {

template <typename Tag, typename Rep>
struct StrongId {
  Rep value{};

  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep v) noexcept : value(v) {}
  friend constexpr auto operator<=>(const StrongId&, const StrongId&) = default;
};

// Position of an agent in this run's agent list (all agents, ordered by SDK node id). Not an SDK handle.
using AgentIndex = StrongId<struct AgentIndexTag, std::uint32_t>;
// Position of a counter in an agent's list of planned counters.
using CounterIndex = StrongId<struct CounterIndexTag, std::uint32_t>;
// One execution of a replayed dispatch, 0-based.
using PassIndex = StrongId<struct PassIndexTag, std::uint32_t>;
// A planned set of counters that fits one pass, 0-based: the index of the planned pass whose counters were read.
using GroupIndex = StrongId<struct GroupIndexTag, std::uint32_t>;
// The SDK's number of a logical dispatch in this process, from 1. All passes of a dispatch share it.
using DispatchId = StrongId<struct DispatchIdTag, std::uint64_t>;
// The SDK's number of a kernel in this process.
using KernelId = StrongId<struct KernelIdTag, std::uint64_t>;

}  // namespace multipass

template <typename Tag, typename Rep>
struct std::hash<multipass::StrongId<Tag, Rep>> {
  std::size_t operator()(const multipass::StrongId<Tag, Rep>& id) const noexcept { return std::hash<Rep>{}(id.value); }
};
