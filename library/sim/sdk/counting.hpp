// SPDX-License-Identifier: MIT
//
// Dispatch counting: asks the tools on the launching thread which counters they want, and later turns what the kernel
// did into their records, on the one consumer thread of the process. Owner: Sdk. Any thread.
// A configuration that does not exist, or that overflows the hardware, ends the process as on the real thing.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/interface/runtime_table.h"
#include "sim/sdk/buffers.hpp"
#include "sim/sdk/context.hpp"
#include "sim/sdk/counter_configs.hpp"
#include "sim/sdk/faults.hpp"
#include "sim/sdk/launch.hpp"
#include "sim/sdk/record_hold.hpp"
#include "sim/sdk/truth.hpp"
#include "sim/sdk/work_thread.hpp"

namespace multipass_sim {

// One execution that one counting service wants to read.
struct CountingRequest {
  ContextPtr context;
  CountingService service;
  std::shared_ptr<const CounterConfig> config;
  rocprofiler_dispatch_counting_service_data_t data{};
  rocprofiler_user_data_t user_data{0};
  const char* kernel_name = "";
  FaultPlace place;
  std::shared_ptr<RecordHold> hold;  // of the replay window, when its records are kept back
};

class Counting final {
 public:
  Counting(CounterConfigs& configs, Buffers& buffers, const ThreadNotifiers& notifiers, Faults& faults, Truth& truth)
      : configs_(configs), buffers_(buffers), faults_(faults), truth_(truth), consumer_(notifiers, kQueueLength) {}

  void start() { consumer_.start(); }  // when a counting context starts
  void drain();
  void stop();  // after the tools' finalize functions
  void before_fork();
  void after_fork_in_parent();
  void restart_in_child(bool hangs);

  // On T, asks every counting service of the context. `user_data` is one slot for all of them.
  void ask(const ContextPtr& context, const Launch& launch, rocprofiler_user_data_t external,
           rocprofiler_user_data_t& user_data, std::vector<CountingRequest>& wanted);

  // On H. Goes to the consumer; when its queue is full or it does not run, H does the work itself.
  void finished(CountingRequest request, const multipass_sim_execution& execution);

  // What a fault kept back goes the way it would have gone.
  void post(std::vector<RecordHold::Task> tasks);

 private:
  static constexpr std::size_t kQueueLength = 128;
  void post(WorkThread::Task task);
  void route(const FaultPlace& place, RecordHold* window, WorkThread::Task task);
  void tell_truth(const CountingRequest& request, const multipass_sim_execution& execution);
  void deliver(const CountingRequest& request, const multipass_sim_execution& execution);
  void wait_as_an_orphan() const;

  CounterConfigs& configs_;
  Buffers& buffers_;
  Faults& faults_;
  Truth& truth_;
  WorkThread consumer_;
  RecordHold until_stop_, until_finalized_;
  bool orphan_ = false;  // a forked child that waits for its parent's thread
};

}  // namespace multipass_sim
