// SPDX-License-Identifier: MIT
#include "sim/play/payloads.hpp"

#include <algorithm>
#include <string_view>

#include "sdk/abi/api_calls.hpp"

namespace multipass_sim::play {

namespace {

// What the SDK hands over of its own functions. None is called: a tool must not toggle contexts
// (docs/replay-contract.md).
std::uint64_t no_pass_count(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) {
  return 1;
}
int no_continue(rocprofiler_kernel_dispatch_info_t, std::uint64_t, std::uint64_t, rocprofiler_user_data_t) {
  return 0;
}
rocprofiler_status_t no_toggle(rocprofiler_context_id_t) {
  return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED;
}

std::uint64_t number(const Event& event, const char* name) {
  const auto found = event.numbers.find(name);
  return found == event.numbers.end() ? 0 : found->second;
}

std::uint32_t number32(const Event& event, const char* name) {
  return static_cast<std::uint32_t>(number(event, name));
}

rocprofiler_callback_tracing_kernel_replay_data_t replay(const Event& event, const Ids& ids) {
  const auto has = [&](const char* name) {
    return std::find(event.functions.begin(), event.functions.end(), name) != event.functions.end();
  };
  rocprofiler_callback_tracing_kernel_replay_data_t data{};
  data.dispatch_info = ids.dispatch;
  data.current_pass = event.pass;
  data.total_passes = event.passes;
  data.replay_pass_count = has("pass_count") ? no_pass_count : nullptr;
  data.replay_continue = has("continue") ? no_continue : nullptr;
  data.replay_start_context = has("start_context") ? no_toggle : nullptr;
  data.replay_stop_context = has("stop_context") ? no_toggle : nullptr;
  return data;
}

void fill_code_object(Payload& payload, const Event& event, const Ids& ids) {
  if (event.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
    rocprofiler_callback_tracing_code_object_load_data_t data{};
    data.code_object_id = number(event, "code_object") + 1;
    data.agent_id = ids.agent;
    payload.fill(data);
  } else if (event.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER) {
    rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t data{};
    data.kernel_id = number(event, "kernel") + 1;
    data.code_object_id = number(event, "code_object") + 1;
    data.kernel_name = ids.kernel_name.c_str();
    data.kernarg_segment_size = number32(event, "kernarg_size");
    data.kernarg_segment_alignment = number32(event, "kernarg_alignment");
    data.group_segment_size = number32(event, "group");
    data.private_segment_size = number32(event, "private");
    data.sgpr_count = number32(event, "sgprs");
    data.arch_vgpr_count = number32(event, "vgprs");
    data.accum_vgpr_count = number32(event, "accum_vgprs");
    payload.fill(data);
  } else {
    payload.fill(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t{});
  }
}

// Memory of the recording has its place: far from each other, so that sizes and offsets are kept.
std::uint64_t address(const Event& event, const char* name) {
  constexpr std::uint64_t kFirst = 0x7000'0000'0000;
  constexpr std::uint64_t kApart = 0x100'0000'0000;
  const auto memory = event.numbers.find(name);
  if (memory == event.numbers.end()) return 0;
  return kFirst + kApart * memory->second + (std::string_view(name) == "memory" ? number(event, "offset") : 0);
}

// What parameters point to is kept in `pointed`.
void fill_call(Payload& payload, const Event& event, const std::string& name, Pointed& pointed) {
  using multipass::sdk::ApiWord;
  const std::size_t result = multipass::sdk::api_result_size(event.kind);
  payload.put(0, std::uint64_t{event.size});
  if (event.phase != ROCPROFILER_CALLBACK_PHASE_EXIT || event.size < MULTIPASS_API_ARGS_OFFSET + result) return;
  payload.put(event.size - result, std::int32_t{event.status});
  const multipass::sdk::ApiCall* call = multipass::sdk::find_api_call(name);
  if (call == nullptr) return;
  for (const multipass::sdk::ApiParameter& parameter : call->parameters) {
    if (!multipass::sdk::holds(event.size, parameter, result)) continue;
    const std::size_t at = MULTIPASS_API_ARGS_OFFSET + parameter.offset;
    switch (parameter.word) {
      case ApiWord::kAddress:
        payload.put(at, address(event, parameter.name));
        break;
      case ApiWord::kAddressOut:
        pointed.address = address(event, parameter.name);
        payload.put(at, static_cast<const void*>(&pointed.address));
        break;
      case ApiWord::kSize:
        payload.put(at, number(event, parameter.name));
        break;
      case ApiWord::kSizeOut:
        pointed.size = number(event, parameter.name);
        payload.put(at, static_cast<const void*>(&pointed.size));
        break;
      case ApiWord::kFlags:
        payload.put(at, number32(event, parameter.name));
        break;
      case ApiWord::kAttributes:
        for (const std::uint64_t attribute : event.attributes) {
          pointed.attributes.push_back(attribute);
          pointed.attributes.push_back(0);
        }
        payload.put(at, static_cast<const void*>(pointed.attributes.data()));
        payload.put(at + sizeof(void*), event.attributes.size());
        break;
    }
  }
}

void fill_memory(Payload& payload, const Event& event, const Ids& ids) {
  if (event.kind == "MEMORY_ALLOCATION") {
    rocprofiler_callback_tracing_memory_allocation_data_t data{};
    data.start_timestamp = ids.start;
    data.end_timestamp = ids.end;
    data.agent_id = ids.agent;
    data.allocation_size = number(event, "bytes");
    data.address.value = address(event, "memory");
    payload.fill(data);
  } else {
    rocprofiler_callback_tracing_memory_copy_data_t data{};
    data.start_timestamp = ids.start;
    data.end_timestamp = ids.end;
    data.dst_agent_id = ids.to;
    data.src_agent_id = ids.from;
    data.bytes = number(event, "bytes");
    payload.fill(data);
  }
}

}  // namespace

Payload make_payload(const Event& event, const Ids& ids) {
  Payload payload(event.size);
  if (event.size < sizeof(std::uint64_t)) return payload;
  if (event.kind == "KERNEL_REPLAY") {
    payload.fill(replay(event, ids));
  } else if (event.kind == "KERNEL_DISPATCH") {
    rocprofiler_callback_tracing_kernel_dispatch_data_t data{};
    data.start_timestamp = ids.start;
    data.end_timestamp = ids.end;
    data.dispatch_info = ids.dispatch;
    payload.fill(data);
  } else if (event.kind == "CODE_OBJECT") {
    fill_code_object(payload, event, ids);
  } else if (event.kind == "MEMORY_ALLOCATION" || event.kind == "MEMORY_COPY") {
    fill_memory(payload, event, ids);
  } else if (multipass::sdk::api_result_size(event.kind) != 0) {
    fill_call(payload, event, ids.operation, *payload.pointed());
  } else {
    rocprofiler_callback_tracing_marker_api_data_t data{};  // all others: a size, and an argument or nothing
    data.args.roctxProfilerPause.tid = ids.thread;
    payload.fill(data);
  }
  return payload;
}

}  // namespace multipass_sim::play
