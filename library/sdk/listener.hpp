// SPDX-License-Identifier: MIT
//
// Listener: what the SDK's callbacks become above the SDK layer. An interface, so that everything above can be tested
// without an SDK. All noexcept: they are called through C. T: the launching thread; S: a thread of the SDK.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/dispatch.hpp"
#include "model/dispatch_info.hpp"
#include "model/memory.hpp"

namespace multipass::sdk {

// What an execution is to read. config 0: nothing.
struct Choice {
  std::uint64_t config = 0;
  Execution execution;
};

// Of a roctx range: push and pop are a thread's, start and stop the process's.
enum class RangeOwner : std::uint8_t { kThread, kProcess };

class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;

  // T. The number of passes wanted; 1: do not replay.
  virtual std::uint64_t config_enter(const DispatchInfo& dispatch) noexcept = 0;
  virtual void config_exit(const DispatchInfo& dispatch) noexcept = 0;
  virtual void pass_enter(const DispatchInfo& dispatch, PassIndex pass) noexcept = 0;
  virtual void pass_exit(const DispatchInfo& dispatch, PassIndex pass) noexcept = 0;
  // T. Before every execution; what it returns comes back in complete().
  virtual Execution enqueue(const DispatchInfo& dispatch) noexcept = 0;
  // T. Which counters the execution reads; the execution comes back in record().
  virtual Choice choose(const DispatchInfo& dispatch) noexcept = 0;
  // S. The execution has ended.
  virtual void complete(const DispatchInfo& dispatch, const Execution& execution, const Interval& times) noexcept = 0;
  // S, another one, at any time after choose().
  virtual void record(const DispatchInfo& dispatch, const Execution& execution, const Interval& times,
                      Readings&& readings) noexcept = 0;
  // T. The SDK's replay records are not understood: no dispatch will be replayed. At most once.
  virtual void replay_unusable() noexcept = 0;
  // A kernel became known, before its first dispatch. Any thread. `symbol.demangled` is empty.
  virtual void kernel(KernelSymbol&& symbol) noexcept = 0;
  // It was unloaded and is not launched again. Any thread.
  virtual void kernel_unloaded(KernelId kernel) noexcept = 0;
  // The application's calls of roctx, on the thread that calls. `thread` 0: all threads; `message` may be nullptr. What
  // range_begins() returns comes back when the range ends.
  virtual void profiler_paused(std::uint64_t /*thread*/) noexcept {}
  virtual void profiler_resumed(std::uint64_t /*thread*/) noexcept {}
  virtual std::uint64_t range_begins(RangeOwner /*owner*/, const char* /*message*/) noexcept { return 0; }
  virtual void range_ends(RangeOwner /*owner*/, std::uint64_t /*begun*/) noexcept {}
  // T, after a pass that another one may follow. False: no more passes are to run.
  virtual bool goes_on(const DispatchInfo& /*dispatch*/, PassIndex /*pass*/) noexcept { return true; }
  // The application's memory, on the thread that calls, when the call has succeeded.
  virtual void memory_allocated(const MemoryAllocated& /*memory*/) noexcept {}
  // A call that may end memory begins. What it returns is the `begun` of what the call ends: another thread may be
  // given the same address before that is told, and what was told of since is not meant.
  virtual std::uint64_t memory_call_begins() noexcept { return 0; }
  virtual void memory_ended(MemoryEnd /*end*/, std::uint64_t /*address*/, std::uint64_t /*bytes*/,
                            std::uint64_t /*begun*/) noexcept {}
  // Memory that begins at the address was made known to others than this process's GPUs.
  virtual void memory_exported(std::uint64_t /*address*/) noexcept {}
  // A copy from or to agents (nothing: a host's end) is about to start, on the thread that starts it. What it returns
  // comes back when the copy has ended, on a thread of the SDK; which may never be told.
  virtual std::uint64_t copy_begins(std::optional<AgentIndex> /*from*/, std::optional<AgentIndex> /*to*/) noexcept {
    return 0;
  }
  virtual void copy_ends(std::uint64_t /*begun*/) noexcept {}
};

}  // namespace multipass::sdk
