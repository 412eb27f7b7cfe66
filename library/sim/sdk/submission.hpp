// SPDX-License-Identifier: MIT
//
// One execution of a kernel as the tools see it: ENQUEUE and the counting callback on the launching thread T, COMPLETE
// and the counter values after it has run. Made and submitted on T; from then on owned by the runtime's queue, on whose
// thread H it finishes and is destroyed.
#pragma once

#include <memory>
#include <vector>

#include "sim/sdk/completion.hpp"
#include "sim/sdk/counting.hpp"
#include "sim/sdk/launch.hpp"
#include "sim/sdk/replay_toggles.hpp"

namespace multipass_sim {

class Sdk;

// What a replay loop adds to an execution. Until submit() returns.
struct InLoop {
  const ReplayToggles& toggles;
  std::uint64_t pass = 0;
  std::shared_ptr<RecordHold> hold;       // where its records wait, or nullptr
  std::shared_ptr<Completion> abandoned;  // what H waits for once the kernel has run, or nullptr
  bool never_ends = false;                // nothing is heard of the kernel any more
};

class Submission final {
 public:
  Submission(Sdk& sdk, const Launch& launch) : sdk_(sdk), launch_(launch) {}

  // For the runtime's table: on Q before the kernel of a submission runs. Counted kernels run alone on their agent.
  static void on_start(void* submission);

  // `loop`: the replay loop around it, or nullptr. `handled`: signalled after H's work, or nullptr.
  static void submit(std::unique_ptr<Submission> submission, const InLoop* loop, Completion* handled);

 private:
  struct Subscriber {  // a context that traces dispatches or counts
    ContextPtr context;
    rocprofiler_user_data_t external{0};
    rocprofiler_user_data_t user_data{0};  // of the tracing callbacks; COMPLETE gets a copy made at enqueue
    const CallbackTracing* enqueue = nullptr;
    const CallbackTracing* complete = nullptr;
    const BufferTracing* buffered = nullptr;
    bool counts = false;
  };

  void find_subscribers(const ReplayToggles* toggles);
  void enqueue();
  void raise_enqueue(rocprofiler_callback_phase_t phase);
  static void on_done(void* submission, const multipass_sim_execution* execution);
  void finish(const multipass_sim_execution& execution);
  void finish_counting(const multipass_sim_execution& execution);
  void raise_complete(const Subscriber& subscriber, const multipass_sim_execution& execution);
  void buffer_complete(const Subscriber& subscriber, const multipass_sim_execution& execution);
  [[nodiscard]] rocprofiler_callback_tracing_record_t record_for(const Subscriber& subscriber) const;

  Sdk& sdk_;
  Launch launch_;
  std::vector<Subscriber> subscribers_;
  std::vector<CountingRequest> counting_;
  rocprofiler_user_data_t counting_user_data_{0};
  Completion* handled_ = nullptr;
  FaultPlace place_;
  std::shared_ptr<RecordHold> hold_;
  std::shared_ptr<Completion> abandoned_;
  bool never_ends_ = false;
  bool alone_ = false, started_ = false;  // on Q
};

}  // namespace multipass_sim
