// SPDX-License-Identifier: MIT
//
// What the loaded SDK is and which agents and counters it knows. Without SDK types, for the layers above.
// Threads: called while the tool initialises, on that one thread. Strings are copied. Errors carry the SDK's status.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/agent.hpp"
#include "sdk/memory_kinds.hpp"

namespace multipass::sdk {

struct SdkAgent {
  AgentInfo info;
  std::uint64_t handle = 0;  // random in each process
};

struct SdkCounter {
  CounterInfo info;
  std::uint64_t id = 0;  // opaque, of this agent and this version of the SDK
};

// A kind of roctx tracing of this SDK and two of its operations, all found by their names.
struct MarkerKind {
  int kind = 0;
  std::array<std::int32_t, 2> operations{};
};

struct MarkerKinds {
  std::optional<MarkerKind> control;  // roctxProfilerPause, roctxProfilerResume
  std::optional<MarkerKind> ranges;   // push to pop on a thread, start to stop of the process
};

struct SdkIdentity {
  std::string version;             // "1.4.1"
  std::string library;             // path of the loaded librocprofiler-sdk, empty when unknown
  bool simulated = false;          // it is the project's stand-in
  std::optional<int> replay_kind;  // number of the KERNEL_REPLAY tracing kind, if this SDK has it
  MarkerKinds markers;             // those that this SDK has
  MemoryKinds memory;              // likewise
  bool before_replay = false;      // older than 1.4.1, the first release with kernel replay
};

[[nodiscard]] SdkIdentity identify();

// What newer releases have and older ones lack.
struct Features {
  std::vector<std::string> kinds;  // names of the callback tracing kinds, in the SDK's order
  bool set_agents = false;         // counting can be restricted to agents
};

[[nodiscard]] Features query_features();

// All agents, ordered by node id; `index` is the position, `device` the ordinal among GPUs.
[[nodiscard]] Result<std::vector<SdkAgent>> query_agents();

struct CounterList {
  std::vector<SdkCounter> counters;
  std::string unsupported;  // why this SDK counts nothing on such an agent (status 39: a CPU, some GPUs); else empty
};

// The counters of one agent. An error: they cannot be listed.
[[nodiscard]] Result<CounterList> query_counters(const SdkAgent& agent);

}  // namespace multipass::sdk
