// SPDX-License-Identifier: MIT
//
// Names of tracing kinds, operations, correlation requests and status codes. Pure, any thread.
// Operations are known for the kinds that the simulator raises (code objects, kernel dispatches, kernel replay); every
// other kind has operation 0 only.
#pragma once

#include "sdk/abi/rocprofiler.h"

namespace multipass_sim {

// How much of the tables a library of SDK 1.0.0 has.
inline constexpr int kCallbackKinds100 = 22, kBufferKinds100 = 33, kStatusCodes100 = 41;

// nullptr: no such kind, operation, request or code.
[[nodiscard]] const char* kind_name(rocprofiler_callback_tracing_kind_t kind) noexcept;
[[nodiscard]] const char* kind_name(rocprofiler_buffer_tracing_kind_t kind) noexcept;
[[nodiscard]] const char* operation_name(rocprofiler_callback_tracing_kind_t kind,
                                         rocprofiler_tracing_operation_t operation) noexcept;
[[nodiscard]] const char* operation_name(rocprofiler_buffer_tracing_kind_t kind,
                                         rocprofiler_tracing_operation_t operation) noexcept;
[[nodiscard]] const char* request_name(rocprofiler_external_correlation_id_request_kind_t kind) noexcept;
[[nodiscard]] const char* status_name(rocprofiler_status_t status) noexcept;
[[nodiscard]] const char* status_text(rocprofiler_status_t status) noexcept;

}  // namespace multipass_sim
