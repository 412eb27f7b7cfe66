// SPDX-License-Identifier: MIT
//
// What one context subscribes to. Plain data: Contexts replaces the whole object when a service is added, so whoever
// holds one sees it unchanged. Any thread.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sdk/abi/rocprofiler.h"

namespace multipass_sim {

// A set of operation numbers, or all there are. As upstream keeps it (context/domain.hpp @1b1610fc): numbers below 512.
class OperationSet final {
 public:
  static OperationSet all() {
    OperationSet set;
    set.all_ = true;
    return set;
  }
  void add(rocprofiler_tracing_operation_t operation) { bits_.set(static_cast<std::size_t>(operation)); }
  [[nodiscard]] bool has(rocprofiler_tracing_operation_t operation) const {
    return all_ || bits_.test(static_cast<std::size_t>(operation));
  }

 private:
  std::bitset<512> bits_;
  bool all_ = false;
};

struct CallbackTracing {
  rocprofiler_callback_tracing_kind_t kind{};
  OperationSet operations;
  rocprofiler_callback_tracing_cb_t callback = nullptr;
  void* args = nullptr;
};

struct BufferTracing {
  rocprofiler_buffer_tracing_kind_t kind{};
  OperationSet operations;
  rocprofiler_buffer_id_t buffer{};
};

struct CountingService {
  rocprofiler_dispatch_counting_service_cb_t dispatch = nullptr;
  void* dispatch_args = nullptr;
  rocprofiler_dispatch_counting_record_cb_t record = nullptr;
  void* record_args = nullptr;
  rocprofiler_buffer_id_t buffer{};  // not 0: the values go there and `record` is not used
};

struct CorrelationRequest {
  bool kernel_dispatch = false;  // the only request that the simulator makes
  rocprofiler_external_correlation_id_request_cb_t callback = nullptr;
  void* args = nullptr;
};

struct Context {
  rocprofiler_context_id_t id{};
  std::size_t client = 0;
  std::vector<CallbackTracing> callback_tracing;
  std::vector<BufferTracing> buffer_tracing;
  std::vector<CountingService> counting;
  std::vector<rocprofiler_agent_id_t> counted_agents;  // empty: all
  std::optional<CorrelationRequest> correlation;

  [[nodiscard]] bool counts_on(rocprofiler_agent_id_t agent) const {
    const auto same = [agent](rocprofiler_agent_id_t other) { return other.handle == agent.handle; };
    return !counting.empty() &&
           (counted_agents.empty() || std::any_of(counted_agents.begin(), counted_agents.end(), same));
  }

  // nullptr when the context does not trace this operation.
  [[nodiscard]] const CallbackTracing* traces(rocprofiler_callback_tracing_kind_t kind,
                                              rocprofiler_tracing_operation_t operation) const {
    for (const CallbackTracing& service : callback_tracing) {
      if (service.kind == kind && service.operations.has(operation)) return &service;
    }
    return nullptr;
  }
};

using ContextPtr = std::shared_ptr<const Context>;

}  // namespace multipass_sim
