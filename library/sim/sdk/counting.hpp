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
#include "sim/sdk/launch.hpp"
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
};

class Counting final {
 public:
  Counting(CounterConfigs& configs, Buffers& buffers, const ThreadNotifiers& notifiers)
      : configs_(configs), buffers_(buffers), consumer_(notifiers, kQueueLength) {}

  void start() { consumer_.start(); }  // when a counting context starts
  void drain() { consumer_.drain(); }
  void stop() { consumer_.stop(); }

  // On T, asks every counting service of the context. `user_data` is one slot for all of them.
  void ask(const ContextPtr& context, const Launch& launch, rocprofiler_user_data_t external,
           rocprofiler_user_data_t& user_data, std::vector<CountingRequest>& wanted);

  // On H. Goes to the consumer; when its queue is full or it does not run, H does the work itself.
  void finished(CountingRequest request, const multipass_sim_execution& execution);

  [[nodiscard]] WorkThread& consumer() noexcept { return consumer_; }

 private:
  static constexpr std::size_t kQueueLength = 128;
  void deliver(const CountingRequest& request, const multipass_sim_execution& execution);

  CounterConfigs& configs_;
  Buffers& buffers_;
  WorkThread consumer_;
};

}  // namespace multipass_sim
