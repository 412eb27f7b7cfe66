// SPDX-License-Identifier: MIT
//
// Services: the contexts and services of the SDK that the tool uses. Without SDK types, for the layers above.
//
// create_services (inside the SDK's initialize call only) -> start_tracing -> start_counting -> stop. Two contexts: one
// traces code objects, kernel dispatches and calls of roctx, the other counts and replays; when another client of the
// process owns counting, the first still works. Once started, the object must outlive every callback, that is, the
// process. Callbacks go to the Listener on the SDK's threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "sdk/instances.hpp"
#include "sdk/inventory.hpp"
#include "sdk/listener.hpp"

namespace multipass::sdk {

// How the callbacks find what belongs to an agent.
struct AgentBinding {
  std::uint64_t handle = 0;
  AgentIndex index;
  std::vector<std::uint64_t> counter_ids;  // of the planned counters, by CounterIndex
  bool gpu = true;
  // How the instances of each of these counters are numbered; empty: only sums are wanted.
  std::vector<std::optional<InstanceShape>> instances{};
};

// Of an agent: how often the instances of a counter in an execution were left out, since one had an impossible place.
struct MisplacedInstances {
  AgentIndex agent;
  CounterIndex first;  // of which they were left out first
  std::uint64_t times = 0;
};

// What became of kernel replay so far.
struct ReplayUse {
  std::uint64_t offered = 0;   // launches for which the SDK asked how many passes
  std::uint64_t wanted = 0;    // of which more than one was the answer
  std::uint64_t replayed = 0;  // of which a loop of passes began
  std::uint64_t lost = 0;      // of those wanted, the answer was gone from the SDK's record at the end
  std::string given_up;        // why it is no longer tried, which stderr has been told; empty: it is
};

class Services {
 public:
  Services() = default;
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;
  virtual ~Services() = default;

  // Tracing first, so that no kernel symbol is missed. An error of the second start leaves tracing on.
  virtual Status start_tracing() = 0;
  virtual Status start_counting() = 0;
  // start_counting() failed since another client of this process counts.
  [[nodiscard]] virtual bool counting_is_taken() const noexcept = 0;
  virtual void stop() noexcept = 0;

  // Around a fork. Stopping waits until the SDK has delivered its records, and must be left out where may_wait() is
  // false. False: counting was not running, and is not to be started again.
  virtual bool pause_counting() noexcept = 0;
  virtual Status resume_counting() = 0;
  // False on a thread that delivers records, and inside a callback, where a signal handler may fork or end the process.
  [[nodiscard]] virtual bool may_wait() const noexcept = 0;
  [[nodiscard]] virtual bool in_callback() const noexcept = 0;
  // In a forked child: from now on no callback takes a lock, which a thread of the parent may have held.
  virtual void detach() noexcept = 0;

  // Replay was configured; else why not.
  [[nodiscard]] virtual bool replays() const noexcept = 0;
  [[nodiscard]] virtual const std::string& why_no_replay() const noexcept = 0;
  [[nodiscard]] virtual ReplayUse replay_use() const = 0;
  [[nodiscard]] virtual std::vector<MisplacedInstances> misplaced_instances() const = 0;

  // Why the application's pauses, or its ranges, do not reach the listener; empty: they do.
  [[nodiscard]] virtual const std::string& why_no_control() const noexcept = 0;
  [[nodiscard]] virtual const std::string& why_no_ranges() const noexcept = 0;
  // What of the application's memory does not, where kernels are replayed; empty: all of it does.
  [[nodiscard]] virtual const std::string& why_no_memory() const noexcept = 0;
};

// `replay_kind`: the number of the KERNEL_REPLAY kind when replay is wanted and this SDK has it. `markers`: those that
// are wanted and that it has. `memory`: those that it has; they are used when replay is.
[[nodiscard]] Result<std::unique_ptr<Services>> create_services(Listener& listener,
                                                                const std::vector<AgentBinding>& agents,
                                                                std::optional<int> replay_kind,
                                                                const MarkerKinds& markers = {},
                                                                const MemoryKinds& memory = {});

}  // namespace multipass::sdk
