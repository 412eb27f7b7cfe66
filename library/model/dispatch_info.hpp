// SPDX-License-Identifier: MIT
//
// What every callback of the SDK says of the dispatch it is about. The same in all passes. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/dispatch.hpp"
#include "model/ids.hpp"

namespace multipass {

struct DispatchInfo {
  DispatchId dispatch_id;
  AgentIndex agent;
  KernelId kernel;
  std::uint64_t queue_id = 0;
  std::uint64_t thread_id = 0;       // of the launching thread; 0: this callback does not say
  std::uint64_t correlation_id = 0;  // 0: this callback does not say
  Dim3 grid;
  Dim3 workgroup;
  std::uint32_t private_segment_size = 0;
  std::uint32_t group_segment_size = 0;
};

// What was read in one execution; counters[i] belongs to values[i].
struct Readings {
  std::vector<CounterIndex> counters;
  std::vector<double> values;
  std::vector<InstanceValues> instances{};  // as of PassRecord
};

// Which execution of a dispatch an event belongs to. It travels through the SDK in the user data of each submission,
// so that an event is attributed by identity and never by order or by a thread's state.
struct Execution {
  std::optional<PassIndex> pass;  // empty: no replay loop surrounds it, or it reads no counters (kind)
  GroupIndex group;
  ExecutionKind kind = ExecutionKind::kCounters;
  friend bool operator==(const Execution&, const Execution&) = default;

  // The low half holds the group, the high half the kind in its two highest bits and pass + 1. Never 0 in a replay
  // loop. A pass has 30 bits.
  [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
    const std::uint64_t number = pass ? (std::uint64_t{pass->value} + 1) & kPassBits : 0;
    return (static_cast<std::uint64_t>(kind) << 62U) | (number << 32U) | group.value;
  }
  static constexpr Execution unpack(std::uint64_t bits) noexcept {
    Execution execution;
    const auto number = static_cast<std::uint32_t>((bits >> 32U) & kPassBits);
    if (number != 0) execution.pass = PassIndex{number - 1};
    execution.group = GroupIndex{static_cast<std::uint32_t>(bits)};
    execution.kind = static_cast<ExecutionKind>(bits >> 62U);
    return execution;
  }

 private:
  static constexpr std::uint64_t kPassBits = 0x3FFFFFFF;
};

}  // namespace multipass
