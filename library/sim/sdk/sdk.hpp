// SPDX-License-Identifier: MIT
//
// Everything the stand-in SDK consists of, one object per process, made when the library is loaded and never destroyed:
// queues may still finish while the process exits. Each part guards itself; no part calls a tool with a lock held
// (AgentLock is the documented exception).
#pragma once

#include <atomic>

#include "sim/interface/runtime_table.h"
#include "sim/sdk/agents.hpp"
#include "sim/sdk/buffers.hpp"
#include "sim/sdk/code_objects.hpp"
#include "sim/sdk/contexts.hpp"
#include "sim/sdk/correlation.hpp"
#include "sim/sdk/counter_configs.hpp"
#include "sim/sdk/counter_infos.hpp"
#include "sim/sdk/counting.hpp"
#include "sim/sdk/dispatcher.hpp"
#include "sim/sdk/faults.hpp"
#include "sim/sdk/markers.hpp"
#include "sim/sdk/outstanding.hpp"
#include "sim/sdk/record_meeting.hpp"
#include "sim/sdk/registration.hpp"
#include "sim/sdk/thread_notifiers.hpp"
#include "sim/sdk/truth.hpp"

namespace multipass_sim {

class Sdk final {
 public:
  Sdk() = default;
  Sdk(const Sdk&) = delete;
  Sdk& operator=(const Sdk&) = delete;

  Faults faults;
  Truth truth;
  ThreadNotifiers notifiers;
  Agents agents{faults};
  CounterInfos infos{agents};
  CounterConfigs configs{agents, infos};
  Contexts contexts;
  Correlation correlation;
  Buffers buffers{notifiers};
  Counting counting{configs, buffers, notifiers, faults, truth};
  CodeObjects code_objects{agents, contexts};
  Outstanding outstanding;
  RecordMeeting meeting;
  Dispatcher dispatcher{*this};
  Markers markers{*this};
  Registration registration{*this};

  // A runtime is there; from now on time is its time.
  void offer(multipass_sim_runtime* runtime) noexcept;
  // When a runtime has been offered and a tool is registered, puts the intercept functions into the runtime's table,
  // once; kernels already known are reported before it returns.
  void attach();
  [[nodiscard]] const multipass_sim_runtime* runtime() const noexcept { return runtime_.load(); }

  // pthread_atfork: all parts hold still while the process forks; the child gets threads of its own.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  void unlock_tables();
  std::atomic<multipass_sim_runtime*> offered_{nullptr};
  std::atomic<multipass_sim_runtime*> runtime_{nullptr};
};

[[nodiscard]] Sdk& sdk() noexcept;

}  // namespace multipass_sim
