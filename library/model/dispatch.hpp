// SPDX-License-Identifier: MIT
//
// What was recorded of one logical dispatch: identity, geometry, outcome, and the readings of each pass.
// Identity is (dispatch_id, pass). Plain data, handed from stage to stage by value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.hpp"

namespace multipass {

enum class Outcome : std::uint8_t {
  kReplayed,    // every planned pass ran and delivered
  kSinglePass,  // the plan has one pass, or replay is off
  kDeclined,    // more passes were planned, one group was read instead
  kFiltered,    // the user's filter: no counters by choice
  kIncomplete,  // passes or readings are missing
};

// Why the user's filter left a dispatch out.
enum class FilterReason : std::uint8_t { kOtherGpu, kNotIncluded, kExcluded, kOutOfRange, kOutsideRegion, kPaused };

// Why a dispatch read one group although more passes were planned, as far as a client can know it: the SDK gives no
// reason of its own. docs/life-of-a-dispatch.md explains each.
enum class DeclineReason : std::uint8_t {
  kRotateMode,      // asked for: --replay rotate
  kNoKernelReplay,  // this SDK has no kernel replay
  kReplayRefused,   // it has, and does not let this tool use it
  kReplayUnusable,  // it has, and its records are not understood
  kNoReplayList,    // by choice: the kernel is on the no-replay list
  kMaxReplays,      // by choice: as many launches like this one were replayed as are wanted
  kNotOffered,      // it did not ask how often to run this one: a graph launch, several packets in one write, ...
  kUnknown,         // it asked, was told, and ran it once
  // It would not have been safe: something is there that a replay does not restore, or does harm to.
  kVirtualMemory,      // memory of the agent is mapped by the virtual-memory functions
  kManagedMemory,      // managed memory is there
  kPoolMemory,         // stream-ordered memory is there: hipMallocAsync and pools
  kFineGrainedMemory,  // fine-grained memory of the agent is there
  kPinnedMemory,       // memory of the host that agents reach is there
  kExportedMemory,     // memory of the agent was given to another process
  kImportedMemory,     // memory of another process is mapped
  kCopyInFlight,       // a copy from or to the agent is under way, and does not end soon
  kCollectives,        // ranks that wait for each other
  // It would have been too much.
  kHostMemory,  // the host has no room for the copy of the agent's memory
  kWindowTime,  // it would take longer than a replay may
  kBudget,      // the time that replays may take is spent
};
inline constexpr std::size_t kDeclineReasons = static_cast<std::size_t>(DeclineReason::kBudget) + 1;

// Those that --unsafe lifts.
inline constexpr std::array kSafetyReasons{
    DeclineReason::kVirtualMemory,     DeclineReason::kManagedMemory, DeclineReason::kPoolMemory,
    DeclineReason::kFineGrainedMemory, DeclineReason::kPinnedMemory,  DeclineReason::kExportedMemory,
    DeclineReason::kImportedMemory,    DeclineReason::kCopyInFlight,  DeclineReason::kCollectives,
    DeclineReason::kHostMemory,        DeclineReason::kWindowTime,    DeclineReason::kBudget,
};

// A set of them: those that are lifted, or those that hold.
class SafetyReasons final {
 public:
  constexpr void add(DeclineReason reason) noexcept { bits_ |= bit(reason); }
  constexpr void add_all() noexcept {
    for (const DeclineReason reason : kSafetyReasons) add(reason);
  }
  [[nodiscard]] constexpr bool has(DeclineReason reason) const noexcept { return (bits_ & bit(reason)) != 0; }
  [[nodiscard]] constexpr bool any() const noexcept { return bits_ != 0; }
  friend bool operator==(const SafetyReasons&, const SafetyReasons&) = default;

 private:
  static constexpr std::uint32_t bit(DeclineReason reason) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(reason);
  }
  std::uint32_t bits_ = 0;
};

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

// CLOCK_BOOTTIME nanoseconds of one execution; 0 and 0: unknown.
struct Interval {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// What an execution is for. Executions that read no counters stand before those that do, and have no PassIndex.
enum class ExecutionKind : std::uint8_t {
  kCounters,  // it reads a group of counters
  kWarmUp,    // nothing: what it does to caches and clocks is all that is wanted of it
  kTiming,    // its times: nothing disturbs them
};

// The values of single instances of a counter. The position of one is its place among all: CounterInfo::dimensions are
// its digits, the first the lowest. Rising; positions[i] belongs to values[i]. What was not delivered is absent.
struct InstanceValues {
  std::vector<std::uint32_t> positions;
  std::vector<double> values;
  friend bool operator==(const InstanceValues&, const InstanceValues&) = default;
};

// What one execution delivered. `counters[i]` belongs to `values[i]`; instances are summed.
// A counter that was planned and is not here was not delivered: it is absent, never 0.
struct PassRecord {
  std::optional<PassIndex> pass;  // empty: no replay loop surrounded this execution
  GroupIndex group;               // the planned pass whose counters were read
  std::uint64_t start_ns = 0;     // CLOCK_BOOTTIME; 0 with end_ns 0: unknown
  std::uint64_t end_ns = 0;
  std::vector<CounterIndex> counters;
  std::vector<double> values;
  std::vector<InstanceValues> instances{};  // kept: [i] belongs to counters[i]; else empty
  friend bool operator==(const PassRecord&, const PassRecord&) = default;
};

struct DispatchRecord {
  DispatchId dispatch_id;
  AgentIndex agent;
  KernelId kernel;
  std::uint64_t queue_id = 0;   // SDK handle
  std::uint64_t stream_id = 0;  // SDK handle, 0 when unknown
  std::uint64_t thread_id = 0;  // of the launching thread
  std::uint64_t correlation_id = 0;
  Dim3 grid;  // work-items
  Dim3 workgroup;
  std::uint32_t private_segment_size = 0;  // bytes per work-item
  std::uint32_t group_segment_size = 0;    // bytes per work-group
  Outcome outcome = Outcome::kReplayed;
  std::string reason;  // for declined, filtered and incomplete: why, as far as it is known
  std::uint32_t passes_planned = 0;
  // Of a replayed dispatch, where they were wanted: the executions without counters. There: it was submitted.
  std::optional<Interval> warm_up;
  std::optional<Interval> timing;
  // Sorted by pass. A dispatch without counters has at most one record here, for its times.
  std::vector<PassRecord> passes;
  friend bool operator==(const DispatchRecord&, const DispatchRecord&) = default;
};

struct KernelSymbol {
  KernelId id;
  std::uint64_t code_object_id = 0;
  AgentIndex agent;
  std::string name;       // as in the code object, mangled
  std::string demangled;  // for people
  std::uint32_t kernarg_segment_size = 0;
  std::uint32_t kernarg_segment_alignment = 0;
  std::uint32_t group_segment_size = 0;
  std::uint32_t private_segment_size = 0;
  std::uint32_t sgpr_count = 0;
  std::uint32_t arch_vgpr_count = 0;
  std::uint32_t accum_vgpr_count = 0;
  friend bool operator==(const KernelSymbol&, const KernelSymbol&) = default;
};

}  // namespace multipass
