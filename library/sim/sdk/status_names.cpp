// SPDX-License-Identifier: MIT
//
// The part of kinds.hpp for status codes.
#include <array>
#include <cstddef>

#include "sim/sdk/kinds.hpp"

namespace multipass_sim {

namespace {

struct StatusNames {
  const char* name;
  const char* text;
};

constexpr std::array<StatusNames, ROCPROFILER_STATUS_LAST> kStatus = {{
    {"ROCPROFILER_STATUS_SUCCESS", "success"},
    {"ROCPROFILER_STATUS_ERROR", "failure without a closer cause"},
    {"ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND", "no such context"},
    {"ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND", "no such buffer"},
    {"ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND", "no such tracing kind"},
    {"ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND", "no such operation of the tracing kind"},
    {"ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND", "no such callback thread"},
    {"ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND", "no such agent"},
    {"ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND", "no such counter"},
    {"ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR", "the call is not possible in this context"},
    {"ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID", "the context is not valid"},
    {"ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED", "the context is not started"},
    {"ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT", "another active context stands in the way"},
    {"ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO", "the context handle was not 0"},
    {"ROCPROFILER_STATUS_ERROR_BUFFER_BUSY", "the buffer is in use"},
    {"ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED", "the service is configured already"},
    {"ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED", "the configuration is locked"},
    {"ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED", "not implemented"},
    {"ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI", "the ABI is incompatible"},
    {"ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT", "an argument is invalid"},
    {"ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT", "the counter does not belong to the agent"},
    {"ROCPROFILER_STATUS_ERROR_FINALIZED", "the library has been finalised"},
    {"ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED", "HSA is not loaded"},
    {"ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND", "no such dimension"},
    {"ROCPROFILER_STATUS_ERROR_PROFILE_COUNTER_NOT_FOUND", "no such counter in the configuration"},
    {"ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED", "the expression could not be parsed"},
    {"ROCPROFILER_STATUS_ERROR_AST_NOT_FOUND", "no expression for the counter"},
    {"ROCPROFILER_STATUS_ERROR_AQL_NO_EVENT_COORD", "no coordinates for the event"},
    {"ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL", "the kernel driver is incompatible"},
    {"ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES", "out of resources"},
    {"ROCPROFILER_STATUS_ERROR_CONFIG_NOT_FOUND", "no such counter configuration"},
    {"ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT", "the agent is used by another service"},
    {"ROCPROFILER_STATUS_INTERNAL_NO_AGENT_CONTEXT", "no context for the agent"},
    {"ROCPROFILER_STATUS_ERROR_SAMPLE_RATE_EXCEEDED", "the sample rate is too high"},
    {"ROCPROFILER_STATUS_ERROR_NO_PROFILE_QUEUE", "no queue for profiling"},
    {"ROCPROFILER_STATUS_ERROR_NO_HARDWARE_COUNTERS", "no hardware counters in the configuration"},
    {"ROCPROFILER_STATUS_ERROR_AGENT_MISMATCH", "the agent does not match"},
    {"ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE", "not available"},
    {"ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT", "more counters than the hardware holds at once"},
    {"ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED", "the architecture of the agent is not supported"},
    {"ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED", "permission denied"},
    {"ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_REGISTER_VERSION", "the register library is incompatible"},
}};

}  // namespace

const char* status_name(rocprofiler_status_t status) noexcept {
  return status < 0 || status >= ROCPROFILER_STATUS_LAST ? nullptr : kStatus[static_cast<std::size_t>(status)].name;
}

const char* status_text(rocprofiler_status_t status) noexcept {
  return status < 0 || status >= ROCPROFILER_STATUS_LAST ? nullptr : kStatus[static_cast<std::size_t>(status)].text;
}

}  // namespace multipass_sim
