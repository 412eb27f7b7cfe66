// SPDX-License-Identifier: MIT
#include "sim/sdk/traced_event.hpp"

#include <utility>

#include "sim/sdk/clock.hpp"
#include "sim/sdk/sdk.hpp"

namespace multipass_sim {

TracedEvent::TracedEvent(Sdk& sdk, rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
                         rocprofiler_tracing_operation_t asked) {
  for (ContextPtr& context : sdk.contexts.active()) {
    const CallbackTracing* service = context->traces(kind, asked);
    if (service == nullptr || service->callback == nullptr) continue;
    Subscriber& subscriber = subscribers_.emplace_back();
    subscriber.service = service;
    subscriber.record.context_id = context->id;
    subscriber.record.thread_id = thread_id();
    subscriber.record.kind = kind;
    subscriber.record.operation = operation;
    subscriber.context = std::move(context);
  }
}

void TracedEvent::enter(Sdk& sdk, void* payload) {
  if (empty()) return;
  const std::uint64_t internal = sdk.correlation.next_internal();
  for (Subscriber& subscriber : subscribers_) {
    subscriber.record.correlation_id.internal = internal;
    subscriber.record.phase = ROCPROFILER_CALLBACK_PHASE_ENTER;
    subscriber.record.payload = payload;
    subscriber.service->callback(subscriber.record, &subscriber.user_data, subscriber.service->args);
  }
}

void TracedEvent::exit(Sdk& sdk, void* payload) {
  for (Subscriber& subscriber : subscribers_) {
    if (!sdk.contexts.contains(subscriber.context->id)) continue;  // its client has been finalised meanwhile
    subscriber.record.phase = ROCPROFILER_CALLBACK_PHASE_EXIT;
    subscriber.record.payload = payload;
    subscriber.service->callback(subscriber.record, &subscriber.user_data, subscriber.service->args);
  }
}

}  // namespace multipass_sim
