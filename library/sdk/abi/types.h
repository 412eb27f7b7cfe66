/* SPDX-License-Identifier: MIT */

/* Scalars, handles and small aggregates of the rocprofiler-sdk C ABI, at the level of SDK 1.4.1.
 *
 * Names and layouts are those of ROCm/rocm-systems, projects/rocprofiler-sdk:
 * source/include/rocprofiler-sdk/fwd.h @6a0bbe3a and registration.h @1803c227.
 * pins.h fails the build when a layout changes. */

#ifndef MULTIPASS_SDK_ABI_TYPES_H
#define MULTIPASS_SDK_ABI_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "sdk/abi/enums.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t rocprofiler_timestamp_t; /* nanoseconds of CLOCK_BOOTTIME */
typedef uint64_t rocprofiler_thread_id_t; /* as gettid() */
typedef uint64_t rocprofiler_kernel_id_t;
typedef uint64_t rocprofiler_dispatch_id_t; /* starts at 1, one per intercepted dispatch */
typedef uint64_t rocprofiler_counter_dimension_id_t;
typedef int32_t rocprofiler_tracing_operation_t; /* meaning depends on the tracing kind */

/* Counter id in bits 63..48 (its low 16 bits), then six bits per dimension: dimension d (1..7) in
 * bits [6(d-1), 6d). Bits 42..47 are unused. Take dimension ids and names from the library.
 * Source: ROCm/rocm-systems projects/rocprofiler-sdk, counter id code @243ccf13. */
typedef uint64_t rocprofiler_counter_instance_id_t;

/* Handles. Opaque; passed by value they travel like a uint64_t. */
typedef struct rocprofiler_context_id_t {
  uint64_t handle;
} rocprofiler_context_id_t;

typedef struct rocprofiler_buffer_id_t {
  uint64_t handle;
} rocprofiler_buffer_id_t;

/* The base is random per process: compare node_id between runs, not the handle. */
typedef struct rocprofiler_agent_id_t {
  uint64_t handle;
} rocprofiler_agent_id_t;

typedef struct rocprofiler_queue_id_t {
  uint64_t handle;
} rocprofiler_queue_id_t;

typedef struct rocprofiler_stream_id_t {
  uint64_t handle;
} rocprofiler_stream_id_t;

/* Unique per architecture and counter within one library version. 0 is a valid counter. */
typedef struct rocprofiler_counter_id_t {
  uint64_t handle;
} rocprofiler_counter_id_t;

typedef struct rocprofiler_counter_config_id_t {
  uint64_t handle;
} rocprofiler_counter_config_id_t;

typedef struct rocprofiler_callback_thread_t {
  uint64_t handle;
} rocprofiler_callback_thread_t;

/* The HSA runtime owns this type; include its header first where both are needed. */
#ifndef HSA_RUNTIME_INC_HSA_H_
typedef struct hsa_agent_s {
  uint64_t handle;
} hsa_agent_t;
#endif

/* A word that belongs to the tool. */
typedef union rocprofiler_user_data_t {
  uint64_t value;
  void* ptr;
} rocprofiler_user_data_t;

typedef union rocprofiler_address_t {
  uint64_t handle;
  uint64_t value;
  const void* ptr;
} rocprofiler_address_t;

typedef struct rocprofiler_dim3_t {
  uint32_t x;
  uint32_t y;
  uint32_t z;
} rocprofiler_dim3_t;

typedef struct rocprofiler_uuid_t {
  uint8_t bytes[16];
} rocprofiler_uuid_t;

typedef struct rocprofiler_version_triplet_t {
  uint32_t major;
  uint32_t minor;
  uint32_t patch;
} rocprofiler_version_triplet_t;

typedef struct rocprofiler_correlation_id_t {
  uint64_t internal;
  rocprofiler_user_data_t external;
  uint64_t ancestor;
} rocprofiler_correlation_id_t;

typedef struct rocprofiler_async_correlation_id_t {
  uint64_t internal;
  rocprofiler_user_data_t external;
} rocprofiler_async_correlation_id_t;

/* Registration. */

/* Handed to rocprofiler_configure; the tool sets `name`, the library everything else. */
typedef struct rocprofiler_client_id_t {
  size_t size;
  const char* name;
  const uint32_t handle;
} rocprofiler_client_id_t;

/* Finalises the calling client, or the whole library if it is the only client. */
typedef void (*rocprofiler_client_finalize_t)(rocprofiler_client_id_t client_id);

/* The return value is ignored by 1.0.0: a tool that fails here must stop its own contexts. */
typedef int (*rocprofiler_tool_initialize_t)(rocprofiler_client_finalize_t finalize_func, void* tool_data);

/* Runs with the tool's contexts already stopped; also in a forked child that calls exit(). */
typedef void (*rocprofiler_tool_finalize_t)(void* tool_data);

/* Returned by rocprofiler_configure; must outlive it. */
typedef struct rocprofiler_tool_configure_result_t {
  size_t size;
  rocprofiler_tool_initialize_t initialize;
  rocprofiler_tool_finalize_t finalize;
  void* tool_data;
} rocprofiler_tool_configure_result_t;

#ifdef __cplusplus
}
#endif

#endif
