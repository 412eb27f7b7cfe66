// SPDX-License-Identifier: MIT
//
// Admission: whether a launch may be replayed now. A replay that would not be safe, or costs more than it may, is
// declined before the SDK begins, and one that turns out so is ended after a pass.
//
//   refuses -> opens -> begins -> ends* -> closes      one window, all calls on its launching thread
//
// Asked in this order, the first that holds is the reason: memory that a replay does not restore or that others use,
// ranks that wait for each other, room in host memory, time of the window; then, in the Session, the limit of replays;
// the budget; a copy under way. A reason that --unsafe lifts declines nothing and is kept in the ticket.
// A copy comes last, for a launch that is admitted but for copies waits until they have ended (CopyWait), inside of its
// window: that is time of it as well.
// How fast an agent copies is known from its first window. So one window of each agent that would be too long only at
// the assumed rate is begun all the same, when one copy is in time: ends() stops it where the rate is not better.
//
// Owned by the Session. Threads: any; what agents share is atomics, and no lock of two agents is taken. Allocates for a
// launch shape that is new. Never fails: what is not known declines nothing.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/cache_line.hpp"
#include "model/dispatch_info.hpp"
#include "model/run.hpp"
#include "replay/copies.hpp"
#include "replay/copy_wait.hpp"
#include "replay/host_memory.hpp"
#include "replay/live_memory.hpp"
#include "replay/projection.hpp"
#include "replay/window_budget.hpp"

namespace multipass::replay {

// The one clock of all that is measured here: the SDK's, in ns. A function, so that tests have one of their own.
using Clock = std::uint64_t (*)() noexcept;
[[nodiscard]] std::uint64_t boot_time_ns() noexcept;

// What is asked about the application. Without: nothing is known of its memory, no copy is under way.
struct Surroundings {
  Clock clock = boot_time_ns;
  const LiveMemory* memory = nullptr;
  const Copies* copies = nullptr;
  HostMemory::Places files{};
};

struct AdmissionLimits {
  ReplayBudget budget{};
  SafetyReasons lifted{};                      // what nothing is declined for
  std::optional<std::uint64_t> host_memory{};  // bytes that copies may take; empty: what is left
  std::chrono::nanoseconds copy_wait{std::chrono::milliseconds{200}};  // a launch waits no longer for copies
};

// What one window has taken, from its first question to its end. A value of the launching thread.
struct Ticket {
  bool open = false;
  SafetyReasons despite;  // what held and was lifted
  std::uint64_t asked_ns = 0;
  std::uint64_t began_ns = 0;    // no other window of the agent was before it any more
  std::uint64_t footprint = 0;   // bytes
  std::uint64_t executions = 0;  // that it is to have
  std::uint64_t projected_ns = 0;
  bool measures_rate = false;      // it is begun although it would be too long at the assumed rate
  std::uint64_t copies_begun = 0;  // on its agent, before none was found under way
};

// The first window of a launch shape, when it took kWorthTelling.
struct TimedWindow {
  LaunchShape shape;
  std::uint64_t executions = 0;
  std::uint64_t footprint = 0;  // bytes
  std::uint64_t ns = 0;
  std::uint64_t next_ns = 0;  // what another one of it will take
};

class Admission final {
 public:
  static constexpr std::uint64_t kLongestWindow = 30'000'000'000;  // ns; released SDKs end the process after 60 s
  static constexpr std::uint64_t kWorthTelling = 1'000'000'000;    // ns

  Admission(std::size_t agents, const AdmissionLimits& limits, const Surroundings& around);

  // Ranks of one job that wait for each other, and how many processes share this node's memory. Any thread.
  void collectives(bool there) noexcept { collectives_.store(there, std::memory_order_relaxed); }
  void share_memory_by(std::uint32_t processes) noexcept { host_memory_.share_by(processes); }

  // Why the launch may not be replayed, but for the budget and copies. Fills in the ticket.
  [[nodiscard]] std::optional<DeclineReason> refuses(const DispatchInfo& dispatch, std::uint64_t executions,
                                                     Ticket& ticket) noexcept;
  // Takes what the window needs, and waits for copies; else why it cannot be had, and nothing is taken.
  [[nodiscard]] std::optional<DeclineReason> opens(const DispatchInfo& dispatch, Ticket& ticket) noexcept;
  // Its first pass begins: it has the agent for itself.
  void begins(const DispatchInfo& dispatch, Ticket& ticket) noexcept;
  // After `done` executions: why no more may follow.
  [[nodiscard]] std::optional<DeclineReason> ends(const DispatchInfo& dispatch, const Ticket& ticket,
                                                  std::uint64_t done) const noexcept;
  // It is over, after `done` executions; 0: the SDK did not replay. Gives back what it took.
  void closes(const DispatchInfo& dispatch, Ticket& ticket, std::uint64_t done) noexcept;

  // An execution has ended. SDK thread.
  void executed(const DispatchInfo& dispatch, const Interval& times) noexcept;

  // What became of a launch that several passes are planned for.
  void note(AgentIndex agent, std::optional<DeclineReason> declined) noexcept;

  // For messages, by one thread at a time.
  struct Counts {
    std::uint64_t admitted = 0;
    std::array<std::uint64_t, kDeclineReasons> declined{};  // by DeclineReason
    std::array<std::uint64_t, kDeclineReasons> despite{};   // replayed although it held
    std::array<std::uint64_t, kDeclineReasons> bytes{};     // of such memory, when one was last declined for it
  };
  [[nodiscard]] Counts counts(AgentIndex agent) const noexcept;
  [[nodiscard]] std::vector<TimedWindow> take_timed(AgentIndex agent);
  [[nodiscard]] std::uint64_t budget_left() const noexcept { return budget_.left(clock_()); }
  [[nodiscard]] bool has_budget() const noexcept { return budget_.limited(); }
  [[nodiscard]] const SafetyReasons& lifted() const noexcept { return lifted_; }

 private:
  static constexpr std::size_t kMostTimed = 8;
  struct alignas(kCacheLine) OfAgent {
    Projection projection;
    AgentCopies copies;
    CopyWait copy_wait;
    std::atomic<std::uint64_t> last_end_ns{0};  // of a window
    std::atomic<bool> asked{false};
    std::atomic<bool> rate_window{false};  // the one that is begun to measure the rate: under way, or over
    std::atomic<std::uint64_t> admitted{0};
    std::array<std::atomic<std::uint64_t>, kDeclineReasons> declined{}, despite{}, bytes{};
    std::mutex mutex;
    std::array<TimedWindow, kMostTimed> timed{};  // guarded by mutex
    std::size_t timed_count = 0;                  // guarded by mutex
  };
  [[nodiscard]] OfAgent* of(AgentIndex agent) const noexcept;
  [[nodiscard]] bool holds_against(DeclineReason reason, Ticket& ticket) const noexcept;
  [[nodiscard]] std::optional<DeclineReason> takes(OfAgent& agent, Ticket& ticket) noexcept;
  [[nodiscard]] bool meets_copy(AgentIndex index, OfAgent& agent, Ticket& ticket) noexcept;
  void tell(OfAgent& agent, const TimedWindow& window) noexcept;

  const Clock clock_;
  const LiveMemory* const memory_;
  const Copies* const copies_;
  const SafetyReasons lifted_;
  const std::chrono::nanoseconds longest_copy_wait_;
  WindowBudget budget_;
  HostMemory host_memory_;
  std::atomic<bool> collectives_{false};
  std::vector<std::unique_ptr<OfAgent>> agents_;  // by AgentIndex
};

}  // namespace multipass::replay
