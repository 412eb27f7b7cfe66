// SPDX-License-Identifier: MIT
#include "sim/sdk/kinds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/sdk/call_names.hpp"

namespace multipass_sim {

namespace {

using Name = const char*;

// Indexed by the value of the enumerator.
constexpr std::array<Name, ROCPROFILER_CALLBACK_TRACING_LAST> kCallbackKinds = {
    "NONE",
    "HSA_CORE_API",
    "HSA_AMD_EXT_API",
    "HSA_IMAGE_EXT_API",
    "HSA_FINALIZE_EXT_API",
    "HIP_RUNTIME_API",
    "HIP_COMPILER_API",
    "MARKER_CORE_API",
    "MARKER_CONTROL_API",
    "MARKER_NAME_API",
    "CODE_OBJECT",
    "SCRATCH_MEMORY",
    "KERNEL_DISPATCH",
    "MEMORY_COPY",
    "RCCL_API",
    "OMPT",
    "MEMORY_ALLOCATION",
    "RUNTIME_INITIALIZATION",
    "ROCDECODE_API",
    "ROCJPEG_API",
    "HIP_STREAM",
    "MARKER_CORE_RANGE_API",
    "HIP_GRAPH",
    "ROCSHMEM_API",
    "HIPFILE_API",
    "KERNEL_REPLAY",
    "HIP_EVENT",
};

constexpr std::array<Name, ROCPROFILER_BUFFER_TRACING_LAST> kBufferKinds = {
    "NONE",
    "HSA_CORE_API",
    "HSA_AMD_EXT_API",
    "HSA_IMAGE_EXT_API",
    "HSA_FINALIZE_EXT_API",
    "HIP_RUNTIME_API",
    "HIP_COMPILER_API",
    "MARKER_CORE_API",
    "MARKER_CONTROL_API",
    "MARKER_NAME_API",
    "MEMORY_COPY",
    "KERNEL_DISPATCH",
    "SCRATCH_MEMORY",
    "CORRELATION_ID_RETIREMENT",
    "RCCL_API",
    "OMPT",
    "MEMORY_ALLOCATION",
    "RUNTIME_INITIALIZATION",
    "ROCDECODE_API",
    "ROCJPEG_API",
    "HIP_STREAM",
    "HIP_RUNTIME_API_EXT",
    "HIP_COMPILER_API_EXT",
    "ROCDECODE_API_EXT",
    "KFD_EVENT_PAGE_MIGRATE",
    "KFD_EVENT_PAGE_FAULT",
    "KFD_EVENT_QUEUE",
    "KFD_EVENT_UNMAP_FROM_GPU",
    "KFD_EVENT_DROPPED_EVENTS",
    "KFD_PAGE_MIGRATE",
    "KFD_PAGE_FAULT",
    "KFD_QUEUE",
    "MARKER_CORE_RANGE_API",
    "HIP_GRAPH",
    "ROCSHMEM_API",
    "ROCSHMEM_API_EXT",
    "HIPFILE_API",
    "HIPFILE_API_EXT",
    "HIP_EVENT",
};

constexpr std::array<Name, ROCPROFILER_CALLBACK_TRACING_LAST> kCallbackNone = {
    "NONE_NONE",
    "HSA_CORE_API_NONE",
    "HSA_AMD_EXT_API_NONE",
    "HSA_IMAGE_EXT_API_NONE",
    "HSA_FINALIZE_EXT_API_NONE",
    "HIP_RUNTIME_API_NONE",
    "HIP_COMPILER_API_NONE",
    "MARKER_CORE_API_NONE",
    "MARKER_CONTROL_API_NONE",
    "MARKER_NAME_API_NONE",
    "CODE_OBJECT_NONE",
    "SCRATCH_MEMORY_NONE",
    "KERNEL_DISPATCH_NONE",
    "MEMORY_COPY_NONE",
    "RCCL_API_NONE",
    "OMPT_NONE",
    "MEMORY_ALLOCATION_NONE",
    "RUNTIME_INITIALIZATION_NONE",
    "ROCDECODE_API_NONE",
    "ROCJPEG_API_NONE",
    "HIP_STREAM_NONE",
    "MARKER_CORE_RANGE_API_NONE",
    "HIP_GRAPH_NONE",
    "ROCSHMEM_API_NONE",
    "HIPFILE_API_NONE",
    "KERNEL_REPLAY_NONE",
    "HIP_EVENT_NONE",
};

constexpr std::array<Name, ROCPROFILER_BUFFER_TRACING_LAST> kBufferNone = {
    "NONE_NONE",
    "HSA_CORE_API_NONE",
    "HSA_AMD_EXT_API_NONE",
    "HSA_IMAGE_EXT_API_NONE",
    "HSA_FINALIZE_EXT_API_NONE",
    "HIP_RUNTIME_API_NONE",
    "HIP_COMPILER_API_NONE",
    "MARKER_CORE_API_NONE",
    "MARKER_CONTROL_API_NONE",
    "MARKER_NAME_API_NONE",
    "MEMORY_COPY_NONE",
    "KERNEL_DISPATCH_NONE",
    "SCRATCH_MEMORY_NONE",
    "CORRELATION_ID_RETIREMENT_NONE",
    "RCCL_API_NONE",
    "OMPT_NONE",
    "MEMORY_ALLOCATION_NONE",
    "RUNTIME_INITIALIZATION_NONE",
    "ROCDECODE_API_NONE",
    "ROCJPEG_API_NONE",
    "HIP_STREAM_NONE",
    "HIP_RUNTIME_API_EXT_NONE",
    "HIP_COMPILER_API_EXT_NONE",
    "ROCDECODE_API_EXT_NONE",
    "KFD_EVENT_PAGE_MIGRATE_NONE",
    "KFD_EVENT_PAGE_FAULT_NONE",
    "KFD_EVENT_QUEUE_NONE",
    "KFD_EVENT_UNMAP_FROM_GPU_NONE",
    "KFD_EVENT_DROPPED_EVENTS_NONE",
    "KFD_PAGE_MIGRATE_NONE",
    "KFD_PAGE_FAULT_NONE",
    "KFD_QUEUE_NONE",
    "MARKER_CORE_RANGE_API_NONE",
    "HIP_GRAPH_NONE",
    "ROCSHMEM_API_NONE",
    "ROCSHMEM_API_EXT_NONE",
    "HIPFILE_API_NONE",
    "HIPFILE_API_EXT_NONE",
    "HIP_EVENT_NONE",
};

constexpr std::array<Name, ROCPROFILER_CODE_OBJECT_LAST> kCodeObject = {
    "CODE_OBJECT_NONE",
    "CODE_OBJECT_LOAD",
    "CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER",
    "CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER",
};

constexpr std::array<Name, ROCPROFILER_KERNEL_DISPATCH_LAST> kKernelDispatch = {
    "KERNEL_DISPATCH_NONE",
    "KERNEL_DISPATCH_ENQUEUE",
    "KERNEL_DISPATCH_COMPLETE",
};

constexpr std::array<Name, ROCPROFILER_KERNEL_REPLAY_LAST> kKernelReplay = {
    "KERNEL_REPLAY_NONE",
    "KERNEL_REPLAY_CONFIG",
    "KERNEL_REPLAY_PASS",
};

constexpr std::array<Name, ROCPROFILER_MEMORY_COPY_LAST> kMemoryCopy = {
    "MEMORY_COPY_NONE",           "MEMORY_COPY_HOST_TO_HOST",     "MEMORY_COPY_HOST_TO_DEVICE",
    "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE",
};

constexpr std::array<Name, ROCPROFILER_MEMORY_ALLOCATION_LAST> kMemoryAllocation = {
    "MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE",  "MEMORY_ALLOCATION_VMEM_ALLOCATE",
    "MEMORY_ALLOCATION_FREE", "MEMORY_ALLOCATION_VMEM_FREE",
};

// Named after the functions, from 0 (marker.def.cpp @1b1610fc).
constexpr std::array<Name, ROCPROFILER_MARKER_CORE_API_ID_LAST> kMarkerCore = {
    "roctxMarkA", "roctxRangePushA", "roctxRangePop", "roctxRangeStartA", "roctxRangeStop", "roctxGetThreadId",
};

constexpr std::array<Name, ROCPROFILER_MARKER_CONTROL_API_ID_LAST> kMarkerControl = {
    "roctxProfilerPause",
    "roctxProfilerResume",
};

constexpr std::array<Name, ROCPROFILER_MARKER_NAME_API_ID_LAST> kMarkerName = {
    "roctxNameOsThread",
    "roctxNameHsaAgent",
    "roctxNameHipDevice",
    "roctxNameHipStream",
};

constexpr std::array<Name, ROCPROFILER_MARKER_CORE_RANGE_API_ID_LAST> kMarkerRange = {
    "roctxMarkA",
    "roctxThreadRangeA",
    "roctxProcessRangeA",
    "roctxGetThreadId",
};

Name at(std::span<const Name> names, std::int64_t index) noexcept {
  return index < 0 || static_cast<std::size_t>(index) >= names.size() ? nullptr
                                                                      : names[static_cast<std::size_t>(index)];
}

}  // namespace

const char* kind_name(rocprofiler_callback_tracing_kind_t kind) noexcept {
  return at(kCallbackKinds, kind);
}

const char* kind_name(rocprofiler_buffer_tracing_kind_t kind) noexcept {
  return at(kBufferKinds, kind);
}

const char* operation_name(rocprofiler_callback_tracing_kind_t kind,
                           rocprofiler_tracing_operation_t operation) noexcept {
  if (kind == ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT) return at(kCodeObject, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH) return at(kKernelDispatch, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY) return at(kKernelReplay, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API) return at(kMarkerCore, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API) return at(kMarkerControl, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API) return at(kMarkerName, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API) return at(kMarkerRange, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY) return at(kMemoryCopy, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION) return at(kMemoryAllocation, operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API) return at(hsa_amd_ext_names(), operation);
  if (kind == ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API) return at(hip_runtime_names(), operation);
  return operation == 0 ? at(kCallbackNone, kind) : nullptr;
}

const char* operation_name(rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation) noexcept {
  if (kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH) return at(kKernelDispatch, operation);
  if (kind == ROCPROFILER_BUFFER_TRACING_MARKER_CORE_API) return at(kMarkerCore, operation);
  if (kind == ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API) return at(kMarkerControl, operation);
  if (kind == ROCPROFILER_BUFFER_TRACING_MARKER_NAME_API) return at(kMarkerName, operation);
  if (kind == ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API) return at(kMarkerRange, operation);
  if (kind == ROCPROFILER_BUFFER_TRACING_MEMORY_COPY) return at(kMemoryCopy, operation);
  if (kind == ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION) return at(kMemoryAllocation, operation);
  if (kind == ROCPROFILER_BUFFER_TRACING_HSA_AMD_EXT_API) return at(hsa_amd_ext_names(), operation);
  if (kind == ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API) return at(hip_runtime_names(), operation);
  return operation == 0 ? at(kBufferNone, kind) : nullptr;
}

const char* request_name(rocprofiler_external_correlation_id_request_kind_t kind) noexcept {
  if (kind == ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_NONE) return "NONE";
  return kind == ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH ? "KERNEL_DISPATCH" : nullptr;
}

}  // namespace multipass_sim
