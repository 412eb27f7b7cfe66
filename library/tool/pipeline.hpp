// SPDX-License-Identifier: MIT
//
// Pipeline: the callbacks of the SDK, through session and assemblers, into the journal.
//
// Owned by the Tool, outlives every callback. Threads: any; the parts guard themselves, and what belongs to one agent
// is never waited for by another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assemble/assembler.hpp"
#include "assemble/coverage.hpp"
#include "base/cache_line.hpp"
#include "base/log.hpp"
#include "journal/writer.hpp"
#include "model/run.hpp"
#include "replay/collectives.hpp"
#include "replay/copies.hpp"
#include "replay/live_memory.hpp"
#include "replay/open_windows.hpp"
#include "replay/session.hpp"
#include "sdk/listener.hpp"
#include "tool/kernel_names.hpp"
#include "tool/preparation.hpp"

namespace multipass::tool {

class Pipeline final : public sdk::Listener {
 public:
  struct Wishes {
    ReplayMode mode = ReplayMode::kAuto;
    std::optional<DeclineReason> no_replay{};  // why nothing will be replayed; empty: the SDK is asked for it
    replay::KernelFilter filter{};
    replay::ReplayLimits limits{};
    ReplayExtras extras{};
    std::shared_ptr<replay::Regions> regions{};  // empty: dispatches are wanted anywhere
    replay::Clock clock = replay::boot_time_ns;
    replay::RankCounts ranks{};
  };

  // What is larger is recorded without the values of single instances: no queue holds it.
  static constexpr std::size_t kMostFrame = journal::JournalWriter::kMaxAgentQueuedBytes;

  // The journal must outlive this object.
  Pipeline(const std::vector<PreparedAgent>& agents, Wishes wishes, journal::JournalWriter& journal);

  // From now on every call returns at once and writes nothing; the first launch gets one line on stderr. For a forked
  // child, in which the writer thread does not exist.
  void detach() noexcept { detached_.store(true, std::memory_order_relaxed); }

  std::uint64_t config_enter(const DispatchInfo& dispatch) noexcept override;
  void config_exit(const DispatchInfo& dispatch) noexcept override;
  void pass_enter(const DispatchInfo& dispatch, PassIndex pass) noexcept override;
  void pass_exit(const DispatchInfo& dispatch, PassIndex pass) noexcept override;
  Execution enqueue(const DispatchInfo& dispatch) noexcept override;
  sdk::Choice choose(const DispatchInfo& dispatch) noexcept override;
  void complete(const DispatchInfo& dispatch, const Execution& execution, const Interval& times) noexcept override;
  void record(const DispatchInfo& dispatch, const Execution& execution, const Interval& times,
              Readings&& readings) noexcept override;
  void replay_unusable() noexcept override;
  // The SDK refuses replay, which is known only when it is asked: nothing will be replayed.
  void replay_refused() noexcept;
  void kernel(KernelSymbol&& symbol) noexcept override;
  void kernel_unloaded(KernelId kernel) noexcept override;
  void profiler_paused(std::uint64_t thread) noexcept override;
  void profiler_resumed(std::uint64_t thread) noexcept override;
  std::uint64_t range_begins(sdk::RangeOwner owner, const char* message) noexcept override;
  void range_ends(sdk::RangeOwner owner, std::uint64_t begun) noexcept override;
  void memory_allocated(const MemoryAllocated& memory) noexcept override;
  std::uint64_t memory_call_begins() noexcept override;
  void memory_ended(MemoryEnd end, std::uint64_t address, std::uint64_t bytes, std::uint64_t begun) noexcept override;
  void memory_exported(std::uint64_t address) noexcept override;
  std::uint64_t copy_begins(std::optional<AgentIndex> from, std::optional<AgentIndex> to) noexcept override;
  void copy_ends(std::uint64_t begun) noexcept override;
  bool goes_on(const DispatchInfo& dispatch, PassIndex pass) noexcept override;

  // Writes every dispatch that is still open; for the end of the process.
  void seal() noexcept;

  // Dispatches that are over: all, or those of an agent.
  [[nodiscard]] std::uint64_t launched() const noexcept;
  [[nodiscard]] std::uint64_t launched(AgentIndex agent) const noexcept;
  // Dispatches that were ever seen, over or not.
  [[nodiscard]] std::uint64_t seen() const noexcept;
  // Of those that are over, launches that the SDK did not ask a configuration for, though there are counters to be
  // read.
  [[nodiscard]] std::uint64_t uncounted() const noexcept { return uncounted_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t strays() const noexcept;
  // Dispatches whose readings were not waited for any longer, since too many were open.
  [[nodiscard]] std::uint64_t given_up() const noexcept;
  // Dispatches that were too large for the values of single instances to be recorded.
  [[nodiscard]] std::uint64_t without_instances() const noexcept {
    return without_instances_.load(std::memory_order_relaxed);
  }
  // Dispatches that ran several times without it being said in which pass.
  [[nodiscard]] std::uint64_t untold() const noexcept;

  // Whether libraries that make ranks wait for each other were loaded since. Where code is loaded and now and then.
  void look_for_collectives() noexcept;

  // For messages, on the journal's thread.
  [[nodiscard]] replay::Session& session() noexcept { return session_; }
  [[nodiscard]] const replay::OpenWindows& windows() const noexcept { return windows_; }
  [[nodiscard]] std::string kernel_name(KernelId kernel) const { return names_.of(kernel); }

  // What was launched too few times on an agent for all groups of counters to be read.
  struct Gaps {
    std::vector<std::string> kernels;  // one text each
    std::uint64_t unfollowed = 0;      // launches of shapes of which it is not known
  };
  [[nodiscard]] Gaps gaps(AgentIndex agent) const;

 private:
  void give_up_replay(DeclineReason why) noexcept;
  void append(const DispatchRecord& dispatch, journal::Lane& to) noexcept;
  [[nodiscard]] static replay::KernelFilter filter_of(Wishes& wishes) noexcept;
  [[nodiscard]] replay::Regions* regions() noexcept;  // nullptr: nothing to tell them
  [[nodiscard]] assemble::Assembler* assembler(const DispatchInfo& dispatch) noexcept;
  [[nodiscard]] bool detached() const noexcept { return detached_.load(std::memory_order_relaxed); }
  void tell_that_it_is_detached() noexcept;

  journal::JournalWriter& journal_;
  std::atomic<bool> detached_{false};
  struct alignas(kCacheLine) Count {
    std::atomic<std::uint64_t> launched{0};
  };
  std::vector<Count> of_agent_;  // by AgentIndex
  const std::shared_ptr<replay::Regions> regions_;
  const replay::Clock clock_;
  replay::LiveMemory memory_;
  replay::Copies copies_;
  replay::Collectives collectives_;
  replay::Session session_;
  replay::OpenWindows windows_;
  std::vector<std::unique_ptr<assemble::Coverage>> coverage_;  // by AgentIndex
  KernelNames names_;
  OnceFlag hard_name_;
  OnceFlag hard_list_;
  OnceFlag told_detached_;
  std::atomic<std::uint64_t> uncounted_{0};
  std::atomic<std::uint64_t> without_instances_{0};
  std::vector<std::unique_ptr<assemble::Assembler>> assemblers_;  // by AgentIndex
};

}  // namespace multipass::tool
