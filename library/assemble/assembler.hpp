// SPDX-License-Identifier: MIT
//
// Assembler: turns the events of the dispatches of ONE agent into DispatchRecords, in whatever order they arrive.
//
// A dispatch opens with its first event and is emitted as soon as nothing more is expected of it: its replay window is
// closed, every execution that was given counters has delivered them, and each that reads none by choice (warm-up,
// timing) has completed; or, without counters, its execution has completed. flush() emits what is left.
// Threads: any. One lock for one agent, never held while emitting and never across a call of the SDK. Memory: at most
// kMaxOpen dispatches whose executions have all ended wait for readings (an SDK may never deliver them), and at most
// kMaxRunning are open in all; beyond either the oldest is emitted without the readings it lacks, and counted. An event
// of a dispatch that is gone or was never opened is counted and dropped. The memory of a dispatch is used again
// (OpenTable), so that the launching thread allocates nothing once the program has had its most dispatches under way.
// noexcept: without memory an event is lost and counted, never more.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "assemble/open_table.hpp"
#include "assemble/outcome.hpp"
#include "base/cache_line.hpp"
#include "model/dispatch_info.hpp"

namespace multipass::assemble {

class alignas(kCacheLine) Assembler final {
 public:
  // Called with each finished dispatch, on the thread whose event finished it. The record is gone when it returns.
  using Emit = std::function<void(const DispatchRecord&)>;

  // `no_replay`: why no dispatch will be replayed, if that is known already.
  Assembler(AgentExpectation expected, std::optional<DeclineReason> no_replay, Emit emit);

  static constexpr std::size_t kMaxOpen = 4096;      // that have ended and lack readings
  static constexpr std::size_t kMaxRunning = 65536;  // in all

  // Replay was asked for and is not to be had: from here on it is not expected.
  void no_replay(DeclineReason why) noexcept { no_replay_.store(why, std::memory_order_relaxed); }

  // Launch thread, in this order as far as each happens.
  void offered(const DispatchInfo& dispatch) noexcept;                        // the SDK asks how many passes
  void filtered(const DispatchInfo& dispatch, FilterReason reason) noexcept;  // the user does not want it
  void pass_begun(const DispatchInfo& dispatch) noexcept;                     // a pass of the replay loop begins
  void enqueued(const DispatchInfo& dispatch, const Execution& execution = {}) noexcept;  // an execution is submitted
  // It was given a configuration, or not. The execution says which group, if any. `declined`: why it was not to be
  // replayed, when that was decided here.
  void counters_chosen(const DispatchInfo& dispatch, const Execution& execution, bool any,
                       std::optional<DeclineReason> declined = std::nullopt) noexcept;
  // The replay window ends. `despite`: what would have declined the replay and was lifted; `ended`: why it has fewer
  // passes than planned, when that was decided here.
  void window_closed(const DispatchInfo& dispatch, const SafetyReasons& despite = {},
                     std::optional<DeclineReason> ended = std::nullopt) noexcept;

  // SDK threads.
  void completed(const DispatchInfo& dispatch, const Execution& execution, const Interval& times) noexcept;
  // `readings` is left empty, with the memory of earlier ones, so that a caller may fill it again.
  void recorded(const DispatchInfo& dispatch, const Execution& execution, const Interval& times,
                Readings&& readings) noexcept;

  // Emits every dispatch that is still open. For the end of the process.
  void flush() noexcept;

  // Dispatches that were ever opened, of which each is given to `emit` once.
  [[nodiscard]] std::uint64_t opened() const noexcept { return opened_.load(std::memory_order_acquire); }
  // Events that could not be attributed to an open dispatch, or were a second delivery of the same execution.
  [[nodiscard]] std::uint64_t strays() const noexcept { return strays_.load(std::memory_order_relaxed); }
  // Dispatches that were emitted without waiting further, since too many were open.
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_.load(std::memory_order_relaxed); }
  // Dispatches that ran several times without a pass being told of. What they read belongs to no pass and is left out.
  [[nodiscard]] std::uint64_t untold() const noexcept { return untold_.load(std::memory_order_relaxed); }

 private:
  // What an event of a dispatch that is not open does.
  enum class IfUnknown : std::uint8_t { kOpen, kStray, kIgnore };
  template <typename Change>
  void apply(const DispatchInfo& dispatch, IfUnknown if_unknown, Change&& change) noexcept;
  [[nodiscard]] OpenDispatch* find_or_open(const DispatchInfo& dispatch, IfUnknown if_unknown);
  // The one that is to be emitted now, out of the table.
  [[nodiscard]] OpenDispatch* settle(OpenDispatch& changed) noexcept;
  [[nodiscard]] OpenDispatch* one_too_many() const noexcept;
  void emit(OpenDispatch& done) noexcept;
  [[nodiscard]] static bool finished(const OpenDispatch& open) noexcept;
  [[nodiscard]] static bool all_ended(const OpenDispatch& open) noexcept;
  void conclude(OpenDispatch& open);

  const AgentExpectation expected_;
  std::atomic<std::optional<DeclineReason>> no_replay_;
  const Emit emit_;
  std::mutex mutex_;
  OpenTable open_;                        // guarded by mutex_
  std::atomic<std::uint64_t> opened_{0};  // written under mutex_
  DispatchId gone_up_to_;  // guarded by mutex_; those that were emitted while they may have been launching
  std::atomic<std::uint64_t> strays_{0};
  std::atomic<std::uint64_t> given_up_{0};
  std::atomic<std::uint64_t> untold_{0};
};

}  // namespace multipass::assemble
