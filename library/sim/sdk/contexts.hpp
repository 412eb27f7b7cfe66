// SPDX-License-Identifier: MIT
//
// All contexts and which of them are active. Owner: Sdk. Any thread; no callback of a tool is called from here.
// Who may call what when is checked by the C functions; here are the rules between contexts: one counting context
// may be active on an agent (12), one context owns kernel replay (15), a kind once per context (15).
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "sim/sdk/context.hpp"

namespace multipass_sim {

class Contexts final {
 public:
  rocprofiler_context_id_t create(std::size_t client);
  [[nodiscard]] bool contains(rocprofiler_context_id_t id) const;
  [[nodiscard]] bool is_active(rocprofiler_context_id_t id) const;

  [[nodiscard]] bool counts(rocprofiler_context_id_t id) const;        // has a dispatch counting service
  [[nodiscard]] bool counting_on(rocprofiler_agent_id_t agent) const;  // an active context counts its dispatches
  [[nodiscard]] bool counting_anywhere() const;

  rocprofiler_status_t start(rocprofiler_context_id_t id);  // unknown 2, one that counts the same agents 12, active 0
  rocprofiler_status_t stop(rocprofiler_context_id_t id);   // unknown or not active: 2

  rocprofiler_status_t add(rocprofiler_context_id_t id, const CallbackTracing& service);
  rocprofiler_status_t add(rocprofiler_context_id_t id, const BufferTracing& service);
  rocprofiler_status_t add(rocprofiler_context_id_t id, const CountingService& service);  // unknown: 10
  rocprofiler_status_t add(rocprofiler_context_id_t id, const CorrelationRequest& service);

  // Which agents the context counts, none for all. Without a counting service 2, while active 16.
  rocprofiler_status_t set_agents(rocprofiler_context_id_t id, std::vector<rocprofiler_agent_id_t> agents);

  // In the order of creation.
  [[nodiscard]] std::vector<ContextPtr> active() const;

  // The active context that owns kernel replay and asked for CONFIG; empty when there is none.
  [[nodiscard]] ContextPtr active_replay() const;

  std::vector<rocprofiler_context_id_t> of_client(std::size_t client) const;
  void remove_client(std::size_t client);

  [[nodiscard]] std::mutex& mutex() const noexcept { return mutex_; }

 private:
  struct Slot {
    ContextPtr context;
    bool active = false;
  };
  using Change = std::function<rocprofiler_status_t(Context&)>;
  rocprofiler_status_t change(rocprofiler_context_id_t id, rocprofiler_status_t if_unknown, const Change& apply);

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Slot> slots_;
  std::uint64_t last_ = 0;
  std::uint64_t replay_owner_ = 0;  // stays after stop_context
};

}  // namespace multipass_sim
