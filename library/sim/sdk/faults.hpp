// SPDX-License-Identifier: MIT
//
// Faults: where the stand-in departs from what SDK 1.4.1 is documented to do, so that tests can see what a tool makes
// of it. ROCPROFSYS_MULTIPASS_SIM_FAULTS names them (docs/simulator.md lists all):
//
//   snapshot_refused:every=2,record_lost:agent=1:pass=0
//
// Owner: Sdk. Read once, when the first tool registers or a fault is first asked for; immutable afterwards, any thread.
// A name or selector that does not exist ends the process: a fault that never happens would let a test pass.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace multipass_sim {

enum class Fault : std::uint8_t {
  // A replay window.
  kNotOffered,
  kSeveralPackets,
  kSnapshotRefused,
  kQueueStuck,
  kQueueStuckAborts,
  kAgentStuck,
  kAgentStuckAborts,
  kDrainWaits,
  kCopiesInFlight,
  kCopiesUnfenced,
  kPassAbandoned,
  kPassStuckAborts,
  kPassWaits,
  kPassesUntold,
  kPassAdded,
  kInputsChange,
  kRestoreWrong,
  kRestorePartial,
  kRestoreSkipped,
  kRestoreAborts,
  kAbortAfterPass,
  kExitAfterPass,
  kKillAfterPass,
  kPayloadWithoutToggles,
  kPayloadShort,
  kPayloadCallbacksFirst,
  kPayloadTogglesFirst,
  kPayloadLonger,
  kTotalHidden,
  kMoreOperations,
  kCacheWarm,
  // Counter records.
  kRecordLost,
  kRecordTwice,
  kInstanceMisplaced,
  kRecordBeforeComplete,
  kRecordAfterPasses,
  kRecordLate,
  kRecordReversed,
  kRecordAtStop,
  kRecordAfterFinalize,
  kRecordOnHandler,
  kRecordsMeet,
  // Set-up.
  kReplayOwned,
  kCountingConflict,
  kStartDenied,
  kConfigDenied,
  kNotLockable,
  kLiteTrace,
  kAgentUnsupported,
  kAgentEmpty,
  kDimensionsHidden,
  kIdsTagged,
  kReplayKindMoved,
  kSetAgentsHidden,
  kSdk100,
  kCount,
};

// An execution that may be hit. `pass` is empty outside a replay loop.
struct FaultPlace {
  std::size_t device = 0;
  std::uint64_t dispatch = 0;
  std::optional<std::uint64_t> pass;
};

// What the variable says; its own class, so that the grammar can be tested.
class FaultList final {
 public:
  // Throws std::invalid_argument, which names the word, what is wrong and what there is.
  static FaultList parse(std::string_view text);

  [[nodiscard]] bool on(Fault fault) const noexcept { return on_.test(static_cast<std::size_t>(fault)); }
  [[nodiscard]] bool on_agent(Fault fault, std::size_t device) const noexcept;
  [[nodiscard]] bool hits(Fault fault, const FaultPlace& place) const noexcept { return find(fault, place) != nullptr; }
  // How long a fault that waits does so there; empty: for ever.
  [[nodiscard]] std::optional<std::chrono::seconds> wait(Fault fault, const FaultPlace& place) const noexcept;

 private:
  struct Entry {
    Fault fault{};
    std::optional<std::uint64_t> agent, every, dispatch, pass, seconds;
  };
  static Entry parse_entry(std::string_view text);
  [[nodiscard]] const Entry* find(Fault fault, const FaultPlace& place) const noexcept;

  std::vector<Entry> entries_;
  std::bitset<static_cast<std::size_t>(Fault::kCount)> on_;  // so that nothing is searched where nothing is asked for
};

class Faults final {
 public:
  // Reads the variable; ends the process when it cannot be understood.
  const FaultList& list();

  // Switched on for any place.
  [[nodiscard]] bool on(Fault fault) { return list().on(fault); }
  // Of the GPU with this position in the device list.
  [[nodiscard]] bool on_agent(Fault fault, std::size_t device) { return list().on_agent(fault, device); }
  [[nodiscard]] bool hits(Fault fault, const FaultPlace& place) { return list().hits(fault, place); }

 private:
  std::once_flag read_;
  FaultList list_;
};

}  // namespace multipass_sim
