// SPDX-License-Identifier: MIT
//
// What is recorded of the payload of a tracing callback, by kind. Of a kind that is not known here: its size.
#include <cstddef>
#include <string_view>

#include "sdk/recorder.hpp"
#include "sdk/tap.hpp"

namespace multipass::sdk {
namespace {

using Record = rocprofiler_callback_tracing_record_t;
using Replay = rocprofiler_callback_tracing_kernel_replay_data_t;
using Allocation = rocprofiler_callback_tracing_memory_allocation_data_t;
using Copy = rocprofiler_callback_tracing_memory_copy_data_t;
using Symbol = rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t;
using Marker = rocprofiler_callback_tracing_marker_api_data_t;

// All payloads begin with it.
std::uint64_t size_of(const Record& record) noexcept {
  return record.payload == nullptr ? 0 : *static_cast<const std::uint64_t*>(record.payload);
}

// Its payload ends behind the member at this place.
template <typename Payload>
const Payload* payload_of(const Record& record, std::size_t needed = sizeof(Payload)) noexcept {
  return size_of(record) >= needed ? static_cast<const Payload*>(record.payload) : nullptr;
}

std::string_view kind_of(const Record& record) noexcept {
  const char* name = nullptr;
  (void)rocprofiler_query_callback_tracing_kind_name(record.kind, &name, nullptr);
  return name == nullptr ? std::string_view() : std::string_view(name);
}

const Replay* replay_of(const Record& record) noexcept {
  return kind_of(record) == "KERNEL_REPLAY" ? payload_of<Replay>(record, offsetof(Replay, replay_start_context))
                                            : nullptr;
}

const rocprofiler_kernel_dispatch_info_t* dispatch_of(const Record& record) noexcept {
  if (const Replay* replay = replay_of(record)) return &replay->dispatch_info;
  if (kind_of(record) != "KERNEL_DISPATCH") return nullptr;
  const auto* payload = payload_of<rocprofiler_callback_tracing_kernel_dispatch_data_t>(record);
  return payload == nullptr ? nullptr : &payload->dispatch_info;
}

void add_replay(JsonLine& line, Recorder& to, const Replay& payload, const Recorder::Before& before) {
  to.add_dispatch(line, payload.dispatch_info);
  line.add("pass", payload.current_pass);
  line.add("passes", payload.total_passes);
  const bool toggles = payload.size >= sizeof(Replay);
  line.open("functions", '[');  // those that are set, before the tool had the payload
  if (before.pass_count) line.item(std::string_view("pass_count"));
  if (before.goes_on) line.item(std::string_view("continue"));
  if (toggles && payload.replay_start_context != nullptr) line.item(std::string_view("start_context"));
  if (toggles && payload.replay_stop_context != nullptr) line.item(std::string_view("stop_context"));
  line.close(']');
  line.open("answer", '[');  // and what it has set
  if (!before.pass_count && payload.replay_pass_count != nullptr) line.item(std::string_view("pass_count"));
  if (!before.goes_on && payload.replay_continue != nullptr) line.item(std::string_view("continue"));
  line.close(']');
}

void add_code_object(JsonLine& line, Recorder& to, const Record& record) {
  if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
    const auto* payload = payload_of<rocprofiler_callback_tracing_code_object_load_data_t>(record);
    if (payload == nullptr) return;
    line.add("code_object", to.code_object(payload->code_object_id));
    to.add_agent(line, "agent", payload->agent_id);
  } else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER) {
    const auto* payload = payload_of<Symbol>(record);
    if (payload == nullptr) return;
    line.add("code_object", to.code_object(payload->code_object_id));
    line.add("kernel", to.kernel(payload->kernel_id));
    // Names are the program's own business, but for the kernels that this project brings.
    const std::string_view name = payload->kernel_name == nullptr ? "" : payload->kernel_name;
    if (name.find("multipass_kit") != std::string_view::npos) line.add("name", name);
    line.add("kernarg_size", payload->kernarg_segment_size);
    line.add("kernarg_alignment", payload->kernarg_segment_alignment);
    line.add("group", payload->group_segment_size);
    line.add("private", payload->private_segment_size);
    line.add("sgprs", payload->sgpr_count);
    line.add("vgprs", payload->arch_vgpr_count);
    line.add("accum_vgprs", payload->accum_vgpr_count);
  }
}

void add_allocation(JsonLine& line, Recorder& to, const Allocation& payload) {
  to.add_agent(line, "agent", payload.agent_id);
  line.add("bytes", payload.allocation_size);
  to.add_address(line, "memory", payload.address.value, payload.allocation_size);
}

void add_copy(JsonLine& line, Recorder& to, const Copy& payload) {
  to.add_agent(line, "from", payload.src_agent_id);
  to.add_agent(line, "to", payload.dst_agent_id);
  line.add("bytes", payload.bytes);
  to.add_time(line, "start", payload.start_timestamp);
  to.add_time(line, "end", payload.end_timestamp);
}

void add_payload(JsonLine& line, Recorder& to, const Record& record, const Recorder::Before& before) {
  const std::string_view kind = kind_of(record);
  if (const Replay* replay = replay_of(record)) {
    add_replay(line, to, *replay, before);
  } else if (kind == "KERNEL_DISPATCH") {
    const auto* payload = payload_of<rocprofiler_callback_tracing_kernel_dispatch_data_t>(record);
    if (payload == nullptr) return;
    to.add_dispatch(line, payload->dispatch_info);
    to.add_time(line, "start", payload->start_timestamp);
    to.add_time(line, "end", payload->end_timestamp);
  } else if (kind == "CODE_OBJECT") {
    add_code_object(line, to, record);
  } else if (kind == "MEMORY_ALLOCATION") {
    if (const auto* payload = payload_of<Allocation>(record)) add_allocation(line, to, *payload);
  } else if (kind == "MEMORY_COPY") {
    if (const auto* payload = payload_of<Copy>(record)) add_copy(line, to, *payload);
  } else if (kind == "HSA_AMD_EXT_API" || kind == "HIP_RUNTIME_API") {
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_EXIT) return;
    const char* name = nullptr;
    (void)rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name, nullptr);
    if (name != nullptr) to.add_call(line, kind.data(), name, record.payload, size_of(record));
  } else if (kind == "MARKER_CONTROL_API") {
    const auto* payload = payload_of<Marker>(record, offsetof(Marker, args) + sizeof(std::uint64_t));
    if (payload == nullptr) return;
    const std::uint64_t thread = payload->args.roctxProfilerPause.tid;
    if (thread != 0) line.add("argument", to.thread(thread));
  }
}

}  // namespace

void Recorder::tracing(const Moment& moment, const rocprofiler_callback_tracing_record_t& record, const Before& before,
                       const rocprofiler_user_data_t* data) noexcept {
  write_event(moment, "tracing", [&](JsonLine& line) {
    line.add("kind", kind_of(record));
    line.add("operation", record.operation);
    line.add("phase", static_cast<int>(record.phase));
    line.add("of_thread", thread(record.thread_id));
    line.add("correlation", record.correlation_id.internal);
    line.add("size", size_of(record));
    add_payload(line, *this, record, before);
    line.add("data_in", before.data);
    if (data != nullptr) line.add("data", data->value);
  });
}

void TracingTap::enter() noexcept {
  if (data_ != nullptr) before_.data = data_->value;
  if (const Replay* replay = replay_of(record_)) {
    before_.pass_count = replay->replay_pass_count != nullptr;
    before_.goes_on = replay->replay_continue != nullptr;
  }
  moment_ = recorder_->enter(dispatch_of(record_));
}

// Not in a child that was forked meanwhile, where the lock may be held for ever.
void TracingTap::leave() noexcept {
  if (recorder_ == recorder()) recorder_->tracing(moment_, record_, before_, data_);
}

void CountingTap::enter() noexcept {
  if (data_ != nullptr) before_ = data_->value;
  moment_ = recorder_->enter(&service_.dispatch_info);
}

void CountingTap::leave() noexcept {
  if (recorder_ == recorder()) recorder_->counting(moment_, service_, before_, config_, data_);
}

}  // namespace multipass::sdk
