// SPDX-License-Identifier: MIT
//
// The replay window of one launch: CONFIG, then per pass PASS / run / wait, memory restored between the passes.
// Lives on the launching thread's stack. Order, payload and user_data as documented for SDK 1.4.1
// (rocprofiler-sdk, experimental/kernel_replay.h @02c1fdd9, hsa/queue.cpp @00327028).
// T is the launching thread, H the queue's, K the consumer of counters:
//   1 T dispatch id                      2 T CONFIG / ENTER             3 T pass count asked, once
//   4 T no replay: CONFIG / EXIT, then an ordinary submission           5 T agent locked, its queues drained
//   6 T snapshot                         7 T PASS / ENTER               8 T start/stop choices apply from here
//   9 T external correlation request    10 T ENQUEUE / ENTER           11 T counting callback
//  12 T ENQUEUE / EXIT, kernel runs     13 H COMPLETE, counters to K   14 K record callback, at any later time
//  15 T waits for H                     16 T PASS / EXIT               17 T continue asked
//  18 T memory restored, back to 7      19 T CONFIG / EXIT             20 T completion, lock released
// A pass that does not finish within 60 s ends the process; a queue that cannot be drained, or memory that cannot be
// copied, gives a single run. Faults (faults.hpp) change these steps where their names say so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sim/sdk/agent_lock.hpp"
#include "sim/sdk/completion.hpp"
#include "sim/sdk/context.hpp"
#include "sim/sdk/launch.hpp"
#include "sim/sdk/payload_image.hpp"
#include "sim/sdk/record_hold.hpp"
#include "sim/sdk/replay_toggles.hpp"
#include "sim/sdk/snapshot.hpp"

namespace multipass_sim {

class Sdk;

class Replay final {
 public:
  Replay(Sdk& sdk, const Launch& launch, ContextPtr owner, AgentLock& lock);

  void run();

 private:
  // What the tool asked for in CONFIG / ENTER.
  struct Request {
    bool replayed = false;
    std::uint64_t passes = 0;  // 0: until the continue callback says stop
    rocprofiler_kernel_replay_continue_cb_t more = nullptr;
  };

  [[nodiscard]] Request ask();
  [[nodiscard]] bool drain();
  [[nodiscard]] bool snapshot();
  void spend(int cost, std::uint64_t amount, std::uint64_t since_ns) const;
  void loop(const Request& request);
  // False: the pass was abandoned.
  bool run_pass(std::uint64_t pass, const Request& request, ReplayToggles& toggles, rocprofiler_user_data_t& user_data);
  void restore(std::uint64_t next_pass);
  void end_process_after(std::uint64_t pass);
  [[nodiscard]] bool hits(Fault fault, std::optional<std::uint64_t> pass = std::nullopt) const;
  void run_single();
  void leave_config();
  [[nodiscard]] rocprofiler_callback_tracing_kernel_replay_data_t payload() const;
  // SNAPSHOT and RESTORE, which later revisions plan.
  void raise_more(rocprofiler_tracing_operation_t operation);
  // Does nothing for as long as the fault says.
  void stall(Fault fault, std::optional<std::uint64_t> pass, unsigned outstanding);
  [[nodiscard]] FaultPlace place(std::optional<std::uint64_t> pass) const;
  void raise(rocprofiler_tracing_operation_t operation, rocprofiler_callback_phase_t phase,
             rocprofiler_callback_tracing_kernel_replay_data_t& data, rocprofiler_user_data_t& user_data) const;

  Sdk& sdk_;
  const Launch& launch_;
  ContextPtr owner_;
  AgentLock& lock_;
  PayloadLayout layout_;
  Snapshot snapshot_;
  std::shared_ptr<RecordHold> hold_;       // of records that a fault keeps back
  std::shared_ptr<Completion> abandoned_;  // of a pass that is not waited for
  rocprofiler_user_data_t user_data_{0};   // as CONFIG / ENTER left it
  rocprofiler_callback_tracing_kernel_replay_data_t config_{};
};

}  // namespace multipass_sim
