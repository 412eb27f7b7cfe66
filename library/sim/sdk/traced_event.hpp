// SPDX-License-Identifier: MIT
//
// One call, copy or range that somebody traces: its subscribers, found when it begins, and what their callbacks of
// ENTER and EXIT share. Owned by whoever raises it, until EXIT; EXIT may come on another thread. Tools are called with
// no lock held.
#pragma once

#include <vector>

#include "sim/sdk/context.hpp"

namespace multipass_sim {

class Sdk;

class TracedEvent final {
 public:
  TracedEvent() = default;
  TracedEvent(Sdk& sdk, rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation)
      : TracedEvent(sdk, kind, operation, operation) {}
  // `asked`: the number that a subscriber's list of operations is searched for, where it is not the one that is told.
  TracedEvent(Sdk& sdk, rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
              rocprofiler_tracing_operation_t asked);

  [[nodiscard]] bool empty() const noexcept { return subscribers_.empty(); }
  void enter(Sdk& sdk, void* payload);
  void exit(Sdk& sdk, void* payload);

 private:
  struct Subscriber {
    ContextPtr context;
    const CallbackTracing* service = nullptr;  // of the context
    rocprofiler_callback_tracing_record_t record{};
    rocprofiler_user_data_t user_data{};
  };
  std::vector<Subscriber> subscribers_;
};

}  // namespace multipass_sim
