// SPDX-License-Identifier: MIT
#include "sim/sdk/calls.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "sim/sdk/call_names.hpp"
#include "sim/sdk/clock.hpp"
#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/sdk.hpp"
#include "sim/sdk/traced_event.hpp"

namespace multipass_sim {

namespace {

// Payload of an API call: its size, the parameters of any function, the result of any function. As large as upstream's
// by order of magnitude; the first union grows there from release to release.
template <std::size_t kArgs, std::size_t kResult>
struct ApiPayload {
  std::uint64_t size = sizeof(ApiPayload);
  alignas(8) std::array<std::byte, kArgs> args{};
  alignas(8) std::array<std::byte, kResult> result{};

  // False: there is no room for the parameters.
  [[nodiscard]] bool set_args(const multipass_sim_call& call) {
    if (call.args_size > kArgs) return false;
    std::memcpy(args.data(), call.args, call.args_size);
    return true;
  }
  void set_result(std::uint64_t status) { std::memcpy(result.data(), &status, sizeof(status)); }
};
using HsaPayload = ApiPayload<80, MULTIPASS_HSA_RETVAL_SIZE>;
using HipPayload = ApiPayload<112, MULTIPASS_HIP_RETVAL_SIZE>;
static_assert(offsetof(HsaPayload, args) == MULTIPASS_API_ARGS_OFFSET);
static_assert(sizeof(HipPayload) - offsetof(HipPayload, result) == MULTIPASS_HIP_RETVAL_SIZE);

struct Body {
  multipass_sim_call_body run = nullptr;
  void* arg = nullptr;
};

rocprofiler_memory_allocation_operation_t operation_of(const multipass_sim_call& call) {
  switch (call.memory) {
    case MULTIPASS_SIM_MEMORY_CALL_ALLOCATE:
      return ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE;
    case MULTIPASS_SIM_MEMORY_CALL_VMEM_ALLOCATE:
      return ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE;
    case MULTIPASS_SIM_MEMORY_CALL_FREE:
      return ROCPROFILER_MEMORY_ALLOCATION_FREE;
    case MULTIPASS_SIM_MEMORY_CALL_VMEM_FREE:
      return ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE;
    default:
      return ROCPROFILER_MEMORY_ALLOCATION_NONE;
  }
}

std::uint64_t traced_memory(Sdk& sdk, const multipass_sim_call& call, int function, const Body& body) {
  const auto operation = operation_of(call);
  if (operation == ROCPROFILER_MEMORY_ALLOCATION_NONE) return body.run(body.arg);
  TracedEvent event(sdk, ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION, operation, function);
  if (event.empty()) return body.run(body.arg);
  rocprofiler_callback_tracing_memory_allocation_data_t data{};
  data.size = sizeof(data);
  const bool allocates =
      operation == ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE || operation == ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE;
  if (allocates) {
    data.agent_id = sdk.agents.of_device(call.device).info.id;
    data.allocation_size = call.bytes;
  } else {
    data.address.handle = *call.address;
  }
  event.enter(sdk, &data);
  data.start_timestamp = boottime_ns();
  const std::uint64_t status = body.run(body.arg);
  data.end_timestamp = boottime_ns();
  data.address.handle = *call.address;
  event.exit(sdk, &data);
  return status;
}

std::uint64_t traced_hsa(Sdk& sdk, const multipass_sim_call& call, int function, const Body& body) {
  TracedEvent event(sdk, ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API, function);
  HsaPayload payload;
  if (!event.empty() && !payload.set_args(call)) fatal("no room for the parameters of " + std::string(call.function));
  event.enter(sdk, &payload);
  const std::uint64_t status = traced_memory(sdk, call, function, body);
  payload.set_result(status);
  event.exit(sdk, &payload);
  return status;
}

std::uint64_t traced_hip(Sdk& sdk, const multipass_sim_call& call, int function, const Body& body) {
  TracedEvent event(sdk, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, function);
  HipPayload payload;
  if (!event.empty() && !payload.set_args(call)) fatal("no room for the parameters of " + std::string(call.function));
  event.enter(sdk, &payload);
  const std::uint64_t status = body.run(body.arg);
  payload.set_result(status);
  event.exit(sdk, &payload);
  return status;
}

}  // namespace

std::uint64_t told_call(Sdk& sdk, const multipass_sim_call& call, multipass_sim_call_body body, void* arg) {
  const bool hsa = call.domain == MULTIPASS_SIM_DOMAIN_HSA_AMD_EXT;
  const int function = number_of(hsa ? hsa_amd_ext_names() : hip_runtime_names(), call.function);
  if (function < 0) fatal("the runtime tells of a function that has no number: " + std::string(call.function));
  return hsa ? traced_hsa(sdk, call, function, {body, arg}) : traced_hip(sdk, call, function, {body, arg});
}

}  // namespace multipass_sim
