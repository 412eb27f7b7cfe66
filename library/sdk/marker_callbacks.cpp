// SPDX-License-Identifier: MIT
//
// The roctx part of SdkServices: which calls are traced, and what the SDK calls for them.
#include <cstddef>

#include "sdk/sdk_services.hpp"
#include "sdk/status_text.hpp"
#include "sdk/tap.hpp"

namespace multipass::sdk {
namespace {

using MarkerPayload = rocprofiler_callback_tracing_marker_api_data_t;

// Of the arguments, only the first 8 bytes are read: a thread id or a message.
constexpr std::uint64_t kMarkerPayloadNeeded = offsetof(MarkerPayload, args) + sizeof(std::uint64_t);

}  // namespace

void SdkServices::configure_markers(const MarkerKinds& kinds) {
  const auto configure = [this](const MarkerKind& kind, rocprofiler_callback_tracing_cb_t callback) {
    const rocprofiler_status_t status = rocprofiler_configure_callback_tracing_service(
        tracing_, static_cast<rocprofiler_callback_tracing_kind_t>(kind.kind), kind.operations.data(),
        kind.operations.size(), callback, this);
    return status == ROCPROFILER_STATUS_SUCCESS ? std::string() : status_text(status);
  };
  constexpr const char* kUnknown = "this SDK does not trace them";
  why_no_control_ = why_no_ranges_ = kUnknown;
  if (kinds.control) {
    control_ = *kinds.control;
    why_no_control_ = configure(
        control_, [](rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void* self) noexcept {
          const InCallback here;
          const TracingTap tap(record, nullptr);
          static_cast<SdkServices*>(self)->on_marker_control(record);
        });
  }
  if (kinds.ranges) {
    ranges_ = *kinds.ranges;
    why_no_ranges_ = configure(ranges_, [](rocprofiler_callback_tracing_record_t record,
                                           rocprofiler_user_data_t* user_data, void* self) noexcept {
      const InCallback here;
      const TracingTap tap(record, user_data);
      static_cast<SdkServices*>(self)->on_marker_range(record, user_data);
    });
  }
}

// Pause holds before the call begins, resume when it has ended: what lies between is not collected, as rocprofv3 has it
// (rocprofiler-sdk-tool/tool.cpp @1b1610fc).
void SdkServices::on_marker_control(const rocprofiler_callback_tracing_record_t& record) noexcept {
  const auto* payload = static_cast<const MarkerPayload*>(record.payload);
  if (payload == nullptr || payload->size < kMarkerPayloadNeeded) return;
  const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
  if (record.operation == control_.operations[0] && enter) {
    listener_.profiler_paused(payload->args.roctxProfilerPause.tid);
  } else if (record.operation == control_.operations[1] && record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) {
    listener_.profiler_resumed(payload->args.roctxProfilerResume.tid);
  }
}

void SdkServices::on_marker_range(const rocprofiler_callback_tracing_record_t& record,
                                  rocprofiler_user_data_t* user_data) noexcept {
  if (user_data == nullptr) return;
  const bool thread = record.operation == ranges_.operations[0];
  if (!thread && record.operation != ranges_.operations[1]) return;
  const RangeOwner owner = thread ? RangeOwner::kThread : RangeOwner::kProcess;
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) {
    listener_.range_ends(owner, user_data->value);  // its message may be gone
    return;
  }
  const auto* payload = static_cast<const MarkerPayload*>(record.payload);
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER || payload == nullptr) return;
  if (payload->size < kMarkerPayloadNeeded) return;
  user_data->value = listener_.range_begins(owner, payload->args.roctxThreadRangeA.message);
}

}  // namespace multipass::sdk
