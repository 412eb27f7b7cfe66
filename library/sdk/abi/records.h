/* SPDX-License-Identifier: MIT */

/* Records and payloads of the rocprofiler-sdk C ABI, at the level of SDK 1.4.1.
 *
 * Names and layouts are those of ROCm/rocm-systems, projects/rocprofiler-sdk:
 * source/include/rocprofiler-sdk/fwd.h @6a0bbe3a, callback_tracing.h and buffer_tracing.h @1b1610fc,
 * counters.h and dispatch_counting_service.h @4f713a84, experimental/kernel_replay.h @02c1fdd9.
 * pins.h fails the build when a layout changes.
 *
 * The `size` members: the library writes its own sizeof, except that where `reserved_padding` is room
 * to grow it writes the offset of that padding (kernel_dispatch_info: 72, not 128). Read a member only
 * if it ends within `size`, and accept any larger value.
 *
 * Strings and arrays behind pointers belong to the library. */

#ifndef MULTIPASS_SDK_ABI_RECORDS_H
#define MULTIPASS_SDK_ABI_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "sdk/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Passed by value to tracing callbacks; `payload` depends on kind and operation. */
typedef struct rocprofiler_callback_tracing_record_t {
  rocprofiler_context_id_t context_id;
  rocprofiler_thread_id_t thread_id;
  rocprofiler_correlation_id_t correlation_id;
  rocprofiler_callback_tracing_kind_t kind;
  rocprofiler_tracing_operation_t operation;
  rocprofiler_callback_phase_t phase;
  void* payload;
} rocprofiler_callback_tracing_record_t;

/* One entry of a buffer. `hash` is category and kind read as one number. */
typedef struct rocprofiler_record_header_t {
  __extension__ union {
    struct {
      uint32_t category; /* rocprofiler_buffer_category_t */
      uint32_t kind;     /* depends on the category */
    };
    uint64_t hash;
  };
  void* payload;
} rocprofiler_record_header_t;

typedef struct rocprofiler_kernel_dispatch_info_t {
  uint64_t size;
  rocprofiler_agent_id_t agent_id;
  rocprofiler_queue_id_t queue_id;
  rocprofiler_kernel_id_t kernel_id;
  rocprofiler_dispatch_id_t dispatch_id;
  uint32_t private_segment_size;
  uint32_t group_segment_size;
  rocprofiler_dim3_t workgroup_size;
  rocprofiler_dim3_t grid_size;
  uint8_t reserved_padding[56];
} rocprofiler_kernel_dispatch_info_t;

/* Kernel dispatch tracing. */

typedef struct rocprofiler_callback_tracing_kernel_dispatch_data_t {
  uint64_t size;
  rocprofiler_timestamp_t start_timestamp;
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_callback_tracing_kernel_dispatch_data_t;

typedef struct rocprofiler_buffer_tracing_kernel_dispatch_record_t {
  uint64_t size;
  rocprofiler_buffer_tracing_kind_t kind;
  rocprofiler_kernel_dispatch_operation_t operation;
  rocprofiler_async_correlation_id_t correlation_id;
  rocprofiler_thread_id_t thread_id;
  rocprofiler_timestamp_t start_timestamp;
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_buffer_tracing_kernel_dispatch_record_t;

/* Kernel replay (beta). */

/* Asked once per dispatch, after CONFIG/ENTER. 0 leaves the end to the continue callback, 1 means no
 * replay. */
typedef uint64_t (*rocprofiler_kernel_replay_pass_count_cb_t)(rocprofiler_kernel_dispatch_info_t dispatch_info,
                                                              rocprofiler_user_data_t user_data);

/* Asked after a pass while more may follow; 0 ends the loop. `total_passes` is 0 when open-ended: then
 * only this callback ends it. Revisions differ in whose user_data arrives here (CONFIG's or the pass's). */
typedef int (*rocprofiler_kernel_replay_continue_cb_t)(rocprofiler_kernel_dispatch_info_t dispatch_info,
                                                       uint64_t current_pass, uint64_t total_passes,
                                                       rocprofiler_user_data_t user_data);

/* Switches a context on or off for the passes that follow; valid only inside PASS/ENTER. */
typedef rocprofiler_status_t (*rocprofiler_kernel_replay_context_cb_t)(rocprofiler_context_id_t context_id);

/* Payload of both replay operations. In CONFIG/ENTER the tool may set replay_pass_count and
 * replay_continue; in PASS/ENTER the library sets the two context functions. A revision without them
 * would end at 168 bytes: use them only if `size` covers them. */
typedef struct rocprofiler_callback_tracing_kernel_replay_data_t {
  uint64_t size;
  rocprofiler_kernel_dispatch_info_t dispatch_info;
  uint64_t current_pass; /* from 0; meaningful in PASS only */
  uint64_t total_passes; /* 0 in CONFIG, and in PASS when open-ended */
  rocprofiler_kernel_replay_pass_count_cb_t replay_pass_count;
  rocprofiler_kernel_replay_continue_cb_t replay_continue;
  rocprofiler_kernel_replay_context_cb_t replay_start_context;
  rocprofiler_kernel_replay_context_cb_t replay_stop_context;
} rocprofiler_callback_tracing_kernel_replay_data_t;

/* Dispatch counting. */

/* Passed by value; the timestamps are filled for the record callback. */
typedef struct rocprofiler_dispatch_counting_service_data_t {
  uint64_t size;
  rocprofiler_async_correlation_id_t correlation_id;
  rocprofiler_timestamp_t start_timestamp;
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_dispatch_counting_service_data_t;

/* Buffered form; `num_records` counter records follow it. */
typedef struct rocprofiler_dispatch_counting_service_record_t {
  uint64_t size;
  uint64_t num_records;
  rocprofiler_async_correlation_id_t correlation_id;
  rocprofiler_timestamp_t start_timestamp;
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_dispatch_counting_service_record_t;

/* One value of one counter instance. Has no `size`; `user_data` is not set by dispatch counting. */
typedef struct rocprofiler_counter_record_t {
  rocprofiler_counter_instance_id_t id;
  double counter_value;
  rocprofiler_dispatch_id_t dispatch_id;
  rocprofiler_user_data_t user_data;
  rocprofiler_agent_id_t agent_id;
} rocprofiler_counter_record_t;

/* Counter information. */

typedef struct rocprofiler_counter_record_dimension_info_t {
  const char* name;
  size_t instance_size;
  rocprofiler_counter_dimension_id_t id;
} rocprofiler_counter_record_dimension_info_t;

typedef struct rocprofiler_counter_dimension_info_t {
  uint64_t size;
  const char* dimension_name;
  size_t index;
} rocprofiler_counter_dimension_info_t;

typedef struct rocprofiler_counter_record_dimension_instance_info_t {
  uint64_t size;
  rocprofiler_counter_instance_id_t instance_id;
  uint64_t counter_id;
  uint64_t dimensions_count;
  const rocprofiler_counter_dimension_info_t** dimensions;
} rocprofiler_counter_record_dimension_instance_info_t;

typedef struct rocprofiler_counter_info_v0_t {
  rocprofiler_counter_id_t id;
  const char* name;
  const char* description;
  const char* block;
  const char* expression;
  uint8_t is_constant : 1;
  uint8_t is_derived : 1;
} rocprofiler_counter_info_v0_t;

/* The query takes no size and a newer library may write more than this: hand it a zeroed area of at
 * least 256 bytes. 1.0.0 writes 88 bytes (no spm_support), and leaves `size` and the lists alone when
 * the instances are not known. */
typedef struct rocprofiler_counter_info_v1_t {
  uint64_t size;
  rocprofiler_counter_id_t id;
  const char* name;
  const char* description;
  const char* block;
  const char* expression;
  uint8_t is_constant : 1;
  uint8_t is_derived : 1;
  uint64_t dimensions_count;
  const rocprofiler_counter_record_dimension_info_t** dimensions;
  uint64_t dimensions_instances_count;
  const rocprofiler_counter_record_dimension_instance_info_t** dimensions_instances;
  uint8_t spm_support;
  uint8_t reserved_padding[7];
} rocprofiler_counter_info_v1_t;

/* Code objects. */

typedef struct rocprofiler_callback_tracing_code_object_load_data_t {
  uint64_t size;
  uint64_t code_object_id;
  rocprofiler_agent_id_t agent_id;
  hsa_agent_t hsa_agent;
  const char* uri;
  uint64_t load_base;
  uint64_t load_size;
  int64_t load_delta;
  rocprofiler_code_object_storage_type_t storage_type;
  __extension__ union {
    int storage_file; /* storage type FILE */
    struct {
      uint64_t memory_base; /* storage type MEMORY */
      uint64_t memory_size;
    };
  };
} rocprofiler_callback_tracing_code_object_load_data_t;

typedef struct rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t {
  uint64_t size;
  uint64_t kernel_id;
  uint64_t code_object_id;
  const char* kernel_name;
  uint64_t kernel_object;
  uint32_t kernarg_segment_size;
  uint32_t kernarg_segment_alignment;
  uint32_t group_segment_size;
  uint32_t private_segment_size;
  uint32_t sgpr_count;
  uint32_t arch_vgpr_count;
  uint32_t accum_vgpr_count;
  int64_t kernel_code_entry_byte_offset;
  rocprofiler_address_t kernel_address;
} rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t;

typedef struct rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t {
  uint64_t size;
  uint64_t host_function_id;
  uint64_t kernel_id;
  uint64_t code_object_id;
  rocprofiler_address_t host_function;
  rocprofiler_address_t modules;
  const char* device_function;
  uint32_t thread_limit;
  rocprofiler_dim3_t thread_ids;
  rocprofiler_dim3_t block_ids;
  rocprofiler_dim3_t block_dims;
  rocprofiler_dim3_t grid_dims;
  uint64_t workgroup_size;
} rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t;

#ifdef __cplusplus
}
#endif

#endif
