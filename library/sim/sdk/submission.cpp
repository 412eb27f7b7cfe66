// SPDX-License-Identifier: MIT
#include "sim/sdk/submission.hpp"

#include <utility>

#include "sim/sdk/sdk.hpp"

namespace multipass_sim {

void Submission::submit(std::unique_ptr<Submission> submission, const InLoop* loop, Completion* handled) {
  submission->handled_ = handled;
  submission->place_ = place_of(submission->launch_);
  if (loop != nullptr) {
    submission->place_.pass = loop->pass;
    submission->hold_ = loop->hold;
    submission->abandoned_ = loop->abandoned;
    submission->never_ends_ = loop->never_ends;
  }
  submission->find_subscribers(loop == nullptr ? nullptr : &loop->toggles);
  submission->enqueue();
  Sdk& sdk = submission->sdk_;
  multipass_sim_packet* packet = submission->launch_.packet;
  sdk.outstanding.add();
  sdk.runtime()->execute(packet, &Submission::on_done, submission.release());  // on_done takes it back
}

void Submission::find_subscribers(const ReplayToggles* toggles) {
  for (const ContextPtr& context : sdk_.contexts.active()) {
    Subscriber subscriber;
    if (toggles == nullptr || toggles->traces(*context)) {
      constexpr auto kKind = ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH;
      subscriber.enqueue = context->traces(kKind, ROCPROFILER_KERNEL_DISPATCH_ENQUEUE);
      subscriber.complete = context->traces(kKind, ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
      for (const BufferTracing& service : context->buffer_tracing) {
        if (service.kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH &&
            service.operations.has(ROCPROFILER_KERNEL_DISPATCH_COMPLETE)) {
          subscriber.buffered = &service;
        }
      }
    }
    subscriber.counts = context->counts_on(launch_.agent->info.id) && (toggles == nullptr || toggles->counts(*context));
    if (subscriber.enqueue == nullptr && subscriber.complete == nullptr && subscriber.buffered == nullptr &&
        !subscriber.counts) {
      continue;
    }
    subscriber.context = context;
    subscribers_.push_back(std::move(subscriber));
  }
}

void Submission::enqueue() {
  for (Subscriber& subscriber : subscribers_) {
    subscriber.external = sdk_.correlation.external(*subscriber.context, launch_.thread, launch_.correlation);
  }
  raise_enqueue(ROCPROFILER_CALLBACK_PHASE_ENTER);
  for (const Subscriber& subscriber : subscribers_) {
    if (subscriber.counts) {
      sdk_.counting.ask(subscriber.context, launch_, subscriber.external, counting_user_data_, counting_);
    }
  }
  for (CountingRequest& request : counting_) {
    request.user_data = counting_user_data_;
    request.place = place_;
    request.hold = hold_;
  }
  raise_enqueue(ROCPROFILER_CALLBACK_PHASE_EXIT);
}

void Submission::raise_enqueue(rocprofiler_callback_phase_t phase) {
  for (Subscriber& subscriber : subscribers_) {
    if (subscriber.enqueue == nullptr || subscriber.enqueue->callback == nullptr) continue;
    rocprofiler_callback_tracing_kernel_dispatch_data_t data{};
    data.size = sizeof(data);
    data.dispatch_info = launch_.info;
    rocprofiler_callback_tracing_record_t record = record_for(subscriber);
    record.operation = ROCPROFILER_KERNEL_DISPATCH_ENQUEUE;
    record.phase = phase;
    record.payload = &data;
    // The copy for COMPLETE is made at enqueue: what EXIT writes is not seen there.
    rocprofiler_user_data_t exit_slot = subscriber.user_data;
    const bool enter = phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    subscriber.enqueue->callback(record, enter ? &subscriber.user_data : &exit_slot, subscriber.enqueue->args);
  }
}

namespace {

// Nothing misses in L2, which has all lines from the pass before.
void warm_the_cache(multipass_sim_activity& activity) {
  activity.tcc_hits += activity.tcc_misses;
  activity.tcc_misses = 0;
  activity.ea_reads_64b = 0;
}

}  // namespace

void Submission::on_start(void* submission) {
  Submission& own = *static_cast<Submission*>(submission);
  const Agent& agent = *own.launch_.agent;
  own.alone_ = !own.counting_.empty() || own.sdk_.contexts.counting_on(agent.info.id);
  own.sdk_.dispatcher.run_gate(agent.device).enter(own.alone_);
  own.started_ = true;
}

void Submission::on_done(void* submission, const multipass_sim_execution* execution) {
  const std::unique_ptr<Submission> own(static_cast<Submission*>(submission));
  // First of all: the handlers' work does not keep the next kernel waiting.
  if (own->started_) own->sdk_.dispatcher.run_gate(own->launch_.agent->device).leave(own->alone_);
  if (own->never_ends_) return;
  if (own->abandoned_) own->abandoned_->wait();
  multipass_sim_execution done = *execution;
  if (own->place_.pass.value_or(0) != 0 && own->sdk_.faults.hits(Fault::kCacheWarm, own->place_))
    warm_the_cache(done.activity);
  own->finish(done);
  own->sdk_.outstanding.remove();
  if (own->handled_ != nullptr) own->handled_->signal();
}

void Submission::finish(const multipass_sim_execution& execution) {
  if (counting_.empty() && sdk_.truth.wanted()) sdk_.truth.write(place_, launch_.packet->kernel->name, {});
  const bool counters_first = sdk_.faults.hits(Fault::kRecordBeforeComplete, place_);
  if (counters_first) finish_counting(execution);
  for (const Subscriber& subscriber : subscribers_) {
    if (!sdk_.contexts.contains(subscriber.context->id)) continue;  // its client has been finalised meanwhile
    raise_complete(subscriber, execution);
    buffer_complete(subscriber, execution);
  }
  if (!counters_first) finish_counting(execution);
}

void Submission::finish_counting(const multipass_sim_execution& execution) {
  for (CountingRequest& request : counting_) {
    if (sdk_.contexts.contains(request.context->id)) sdk_.counting.finished(std::move(request), execution);
  }
}

void Submission::raise_complete(const Subscriber& subscriber, const multipass_sim_execution& execution) {
  if (subscriber.complete == nullptr || subscriber.complete->callback == nullptr) return;
  rocprofiler_callback_tracing_kernel_dispatch_data_t data{};
  data.size = sizeof(data);
  data.start_timestamp = execution.start_ns;
  data.end_timestamp = execution.end_ns;
  data.dispatch_info = launch_.info;
  rocprofiler_callback_tracing_record_t record = record_for(subscriber);
  record.operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
  record.phase = ROCPROFILER_CALLBACK_PHASE_NONE;
  record.payload = &data;
  rocprofiler_user_data_t user_data = subscriber.user_data;
  subscriber.complete->callback(record, &user_data, subscriber.complete->args);
}

void Submission::buffer_complete(const Subscriber& subscriber, const multipass_sim_execution& execution) {
  if (subscriber.buffered == nullptr) return;
  rocprofiler_buffer_tracing_kernel_dispatch_record_t record{};
  record.size = sizeof(record);
  record.kind = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH;
  record.operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
  record.correlation_id = {launch_.correlation, subscriber.external};
  record.thread_id = launch_.thread;
  record.start_timestamp = execution.start_ns;
  record.end_timestamp = execution.end_ns;
  record.dispatch_info = launch_.info;
  sdk_.buffers.emplace(subscriber.buffered->buffer, ROCPROFILER_BUFFER_CATEGORY_TRACING,
                       ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, record);
}

rocprofiler_callback_tracing_record_t Submission::record_for(const Subscriber& subscriber) const {
  rocprofiler_callback_tracing_record_t record{};
  record.context_id = subscriber.context->id;
  record.thread_id = launch_.thread;
  record.correlation_id = {launch_.correlation, subscriber.external, 0};
  record.kind = ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH;
  return record;
}

}  // namespace multipass_sim
