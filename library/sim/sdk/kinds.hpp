// SPDX-License-Identifier: MIT
//
// Names of tracing kinds, operations, correlation requests and status codes. Pure, any thread.
// Operations are known for the kinds that the simulator raises (code objects, kernel dispatches, kernel replay, roctx
// markers, memory, calls of HSA and HIP); every other kind has operation 0 only.
#pragma once

#include "sdk/abi/rocprofiler.h"
#include "sim/sdk/faults.hpp"

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

// The number that tools see of a kind, and back: with the fault replay_kind_moved kernel replay is 23, as it once was
// on a branch, and ROCSHMEM_API is 25.
[[nodiscard]] inline rocprofiler_callback_tracing_kind_t shown_kind(Faults& faults,
                                                                    rocprofiler_callback_tracing_kind_t kind) {
  constexpr auto kReplay = ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY;
  constexpr auto kOther = ROCPROFILER_CALLBACK_TRACING_ROCSHMEM_API;
  if ((kind != kReplay && kind != kOther) || !faults.on(Fault::kReplayKindMoved)) return kind;
  return kind == kReplay ? kOther : kReplay;
}
[[nodiscard]] inline rocprofiler_buffer_tracing_kind_t shown_kind(Faults&, rocprofiler_buffer_tracing_kind_t kind) {
  return kind;
}

}  // namespace multipass_sim
