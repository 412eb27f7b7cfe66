// SPDX-License-Identifier: MIT
//
// The parts of SdkServices that the SDK calls: from C structures to the Listener, nothing more.
#include <unistd.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sdk/sdk_services.hpp"

namespace multipass::sdk {
namespace {

using ReplayPayload = rocprofiler_callback_tracing_kernel_replay_data_t;

// The toggles at the end of the payload are gone in later revisions; what lies before them must be there.
constexpr std::uint64_t kReplayPayloadNeeded = offsetof(ReplayPayload, replay_start_context);

// CONFIG/ENTER put the number of passes, at least 1, into user_data; the SDK hands it back here.
std::uint64_t pass_count(rocprofiler_kernel_dispatch_info_t dispatch, rocprofiler_user_data_t user_data) noexcept {
  if (Recorder* to = recorder()) to->pass_count(dispatch, user_data.value, user_data.value);
  return user_data.value;
}

// What has no argument of ours finds its way by this: one context of a process owns kernel replay, so one object does.
std::atomic<SdkServices*> g_replays{nullptr};

// After each pass but the last. user_data may be that of CONFIG or of the pass, of which the latter is a copy here.
int goes_on(rocprofiler_kernel_dispatch_info_t info, std::uint64_t pass, std::uint64_t passes,
            rocprofiler_user_data_t user_data) noexcept {
  const InCallback here;
  const SdkServices* services = g_replays.load(std::memory_order_acquire);
  const int answer = services == nullptr || services->goes_on(info, pass) ? 1 : 0;
  if (Recorder* to = recorder()) to->goes_on(info, pass, passes, user_data.value, answer);
  return answer;
}

// Another layout than ours shows here: these four are 0 when the SDK asks.
bool plausible_config(const ReplayPayload& payload) noexcept {
  return payload.replay_pass_count == nullptr && payload.replay_continue == nullptr && payload.current_pass == 0 &&
         payload.total_passes == 0;
}

Dim3 dim3_of(const rocprofiler_dim3_t& dim) noexcept {
  return {dim.x, dim.y, dim.z};
}

DispatchInfo convert(AgentIndex agent, const rocprofiler_kernel_dispatch_info_t& info, std::uint64_t thread_id,
                     std::uint64_t correlation) noexcept {
  DispatchInfo dispatch;
  dispatch.dispatch_id = DispatchId{info.dispatch_id};
  dispatch.agent = agent;
  dispatch.kernel = KernelId{info.kernel_id};
  dispatch.queue_id = info.queue_id.handle;
  dispatch.thread_id = thread_id;
  dispatch.correlation_id = correlation;
  dispatch.grid = dim3_of(info.grid_size);
  dispatch.workgroup = dim3_of(info.workgroup_size);
  dispatch.private_segment_size = info.private_segment_size;
  dispatch.group_segment_size = info.group_segment_size;
  return dispatch;
}

// Asked of the kernel once: each time it would cost more than the rest of a callback. In a forked child it is that of
// the parent's thread, where it does not matter: a child takes no part.
constinit thread_local std::uint64_t t_thread_id = 0;

std::uint64_t this_thread() noexcept {
  if (t_thread_id == 0) t_thread_id = static_cast<std::uint64_t>(::gettid());
  return t_thread_id;
}

void count(std::atomic<std::uint64_t>& what) noexcept {
  what.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void SdkServices::on_replay(const rocprofiler_callback_tracing_record_t& record,
                            rocprofiler_user_data_t* user_data) noexcept {
  auto* payload = static_cast<ReplayPayload*>(record.payload);
  if (payload == nullptr || user_data == nullptr) return;
  if (payload->size < kReplayPayloadNeeded) {
    give_up_replay("is shorter than the known one");
    return;
  }
  const Agent* agent = find(payload->dispatch_info.agent_id);
  if (agent == nullptr) return;
  const DispatchInfo dispatch =
      convert(agent->index, payload->dispatch_info, record.thread_id, record.correlation_id.internal);
  if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) {
    on_replay_config(record, *payload, *agent, dispatch, user_data);
  } else if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS) {
    const PassIndex pass{static_cast<std::uint32_t>(payload->current_pass)};
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
      if (pass.value == 0) count(agent->use->replayed);
      listener_.pass_enter(dispatch, pass);
    } else if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) {
      listener_.pass_exit(dispatch, pass);
    }
  }  // later revisions add operations at the end
}

void SdkServices::on_replay_config(const rocprofiler_callback_tracing_record_t& record, ReplayPayload& payload,
                                   const Agent& agent, const DispatchInfo& dispatch,
                                   rocprofiler_user_data_t* user_data) noexcept {
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) {
    // What was written in ENTER is still there, unless it was written to another member's place.
    if (user_data->value > 1 && payload.replay_pass_count == nullptr) count(agent.use->lost);
    listener_.config_exit(dispatch);
    return;
  }
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
  if (odd_payload_why_.load(std::memory_order_relaxed) != nullptr) return;  // one that looks right later is no better
  if (!plausible_config(payload)) {
    give_up_replay("is laid out in another way");
    return;
  }
  const std::uint64_t passes = listener_.config_enter(dispatch);
  user_data->value = passes;
  count(agent.use->offered);
  if (passes <= 1) return;
  count(agent.use->wanted);
  payload.replay_pass_count = pass_count;
  payload.replay_continue = sdk::goes_on;
}

void SdkServices::take_replays() noexcept {
  g_replays.store(this, std::memory_order_release);
}

SdkServices::~SdkServices() {
  SdkServices* self = this;
  g_replays.compare_exchange_strong(self, nullptr);
}

bool SdkServices::goes_on(const rocprofiler_kernel_dispatch_info_t& info, std::uint64_t pass) const noexcept {
  const Agent* agent = find(info.agent_id);
  return agent == nullptr ||
         listener_.goes_on(convert(agent->index, info, this_thread(), 0), PassIndex{static_cast<std::uint32_t>(pass)});
}

void SdkServices::give_up_replay(const char* why) noexcept {
  if (!odd_payload_.first()) return;
  odd_payload_why_.store(why, std::memory_order_relaxed);
  listener_.replay_unusable();
  try {
    log_warning(odd_payload(why));
  } catch (...) {  // out of memory: nothing can be said
  }
}

void SdkServices::on_kernel_dispatch(const rocprofiler_callback_tracing_record_t& record,
                                     rocprofiler_user_data_t* user_data) noexcept {
  const auto* payload = static_cast<const rocprofiler_callback_tracing_kernel_dispatch_data_t*>(record.payload);
  const bool enqueue = record.operation == ROCPROFILER_KERNEL_DISPATCH_ENQUEUE;
  if (enqueue && record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
  if (payload == nullptr || user_data == nullptr) return;
  const Agent* agent = find(payload->dispatch_info.agent_id);
  if (agent == nullptr) return;
  const DispatchInfo dispatch =
      convert(agent->index, payload->dispatch_info, record.thread_id, record.correlation_id.internal);
  if (enqueue) {
    user_data->value = listener_.enqueue(dispatch).pack();
  } else if (record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE) {
    listener_.complete(dispatch, Execution::unpack(user_data->value),
                       {payload->start_timestamp, payload->end_timestamp});
  }
}

void SdkServices::on_counting(const rocprofiler_dispatch_counting_service_data_t& data,
                              rocprofiler_counter_config_id_t* config, rocprofiler_user_data_t* user_data) noexcept {
  if (config == nullptr || user_data == nullptr) return;
  const Agent* agent = find(data.dispatch_info.agent_id);
  if (agent == nullptr) return;
  // On the launching thread, which this record does not tell.
  const Choice choice =
      listener_.choose(convert(agent->index, data.dispatch_info, this_thread(), data.correlation_id.internal));
  user_data->value = choice.execution.pack();
  config->handle = choice.config;
}

void SdkServices::on_record(const rocprofiler_dispatch_counting_service_data_t& data,
                            const rocprofiler_counter_record_t* records, size_t count,
                            rocprofiler_user_data_t user_data) noexcept {
  const Agent* agent = find(data.dispatch_info.agent_id);
  if (agent == nullptr || (records == nullptr && count != 0)) return;
  try {
    std::vector<CounterIndex> misplaced;
    Readings readings = agent->counters.sum({records, count}, misplaced);
    if (!misplaced.empty()) {
      std::atomic<std::uint64_t>& times = agent->misplaced->times;
      if (times.load(std::memory_order_relaxed) == 0) agent->misplaced->first.store(misplaced.front().value);
      times.fetch_add(misplaced.size(), std::memory_order_release);
    }
    listener_.record(convert(agent->index, data.dispatch_info, 0, data.correlation_id.internal),
                     Execution::unpack(user_data.value), {data.start_timestamp, data.end_timestamp},
                     std::move(readings));
  } catch (...) {
    log_error("readings of one dispatch are lost: out of memory");
  }
}

// A program may load and unload code for as long as it runs: what is kept for it goes with it.
void SdkServices::on_unload(const rocprofiler_callback_tracing_record_t& record) noexcept {
  if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
    try {
      const std::lock_guard lock(code_objects_mutex_);
      code_objects_.erase(
          static_cast<const rocprofiler_callback_tracing_code_object_load_data_t*>(record.payload)->code_object_id);
    } catch (...) {  // the lock is broken: it stays
    }
  } else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER) {
    listener_.kernel_unloaded(KernelId{
        static_cast<const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t*>(record.payload)
            ->kernel_id});
  }
}

void SdkServices::on_code_object(const rocprofiler_callback_tracing_record_t& record) noexcept {
  if (record.payload == nullptr || detached_.load(std::memory_order_relaxed)) return;
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_UNLOAD) on_unload(record);
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_LOAD) return;
  try {
    if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
      const auto* object = static_cast<const rocprofiler_callback_tracing_code_object_load_data_t*>(record.payload);
      if (const Agent* agent = find(object->agent_id)) {
        const std::lock_guard lock(code_objects_mutex_);
        code_objects_[object->code_object_id] = agent->index;
      }
    } else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER) {
      const auto* from =
          static_cast<const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t*>(record.payload);
      KernelSymbol symbol;
      symbol.id = KernelId{from->kernel_id};
      symbol.code_object_id = from->code_object_id;
      {
        const std::lock_guard lock(code_objects_mutex_);
        if (const auto found = code_objects_.find(from->code_object_id); found != code_objects_.end())
          symbol.agent = found->second;
      }
      symbol.name = from->kernel_name == nullptr ? "" : from->kernel_name;
      symbol.kernarg_segment_size = from->kernarg_segment_size;
      symbol.kernarg_segment_alignment = from->kernarg_segment_alignment;
      symbol.group_segment_size = from->group_segment_size;
      symbol.private_segment_size = from->private_segment_size;
      symbol.sgpr_count = from->sgpr_count;
      symbol.arch_vgpr_count = from->arch_vgpr_count;
      symbol.accum_vgpr_count = from->accum_vgpr_count;
      listener_.kernel(std::move(symbol));
    }
  } catch (...) {
    log_error("a kernel's name is lost: out of memory");
  }
}

}  // namespace multipass::sdk
