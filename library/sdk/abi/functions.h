/* SPDX-License-Identifier: MIT */

/* Callback types and functions of the rocprofiler-sdk C ABI that a counter and replay client needs, at
 * the level of SDK 1.4.1. Everything declared as a function is exported by 1.0.0 as well, except
 * rocprofiler_configure, which a tool exports.
 *
 * Names and signatures are those of ROCm/rocm-systems, projects/rocprofiler-sdk:
 * source/include/rocprofiler-sdk @1b1610fc, with registration.h @1803c227, counter_config.h @f7a193ba,
 * counters.h and dispatch_counting_service.h @4f713a84; set_api_table: source/lib/rocprofiler-sdk/
 * registration.cpp @1b1610fc.
 *
 * When a call is allowed, as run against 1.0.0: "init" = only inside a tool's initialize, else
 * CONFIGURATION_LOCKED; "any" = at any time; "started" = from initialize until finalisation begins. */

#ifndef MULTIPASS_SDK_ABI_FUNCTIONS_H
#define MULTIPASS_SDK_ABI_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "sdk/abi/records.h"

/* Default visibility also in libraries that define these functions under -fvisibility=hidden. */
#define ROCPROFILER_ABI __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Registration --------------------------------------------------------------------------- */

typedef rocprofiler_tool_configure_result_t* (*rocprofiler_configure_func_t)(uint32_t version,
                                                                             const char* runtime_version,
                                                                             uint32_t priority,
                                                                             rocprofiler_client_id_t* client_id);

/* Defined by a tool. `version` is 10000 major + 100 minor + patch. NULL withdraws the tool. */
ROCPROFILER_ABI rocprofiler_tool_configure_result_t* rocprofiler_configure(uint32_t version,
                                                                           const char* runtime_version,
                                                                           uint32_t priority,
                                                                           rocprofiler_client_id_t* client_id);

/* Called by the runtimes: the first call runs all client registration. Returns 0, or
 * INVALID_ARGUMENT for a library name it does not know. */
ROCPROFILER_ABI int rocprofiler_set_api_table(const char* name, uint64_t lib_version, uint64_t lib_instance,
                                              void** tables, uint64_t num_tables);

/* Before registration: registers at once. Later: CONFIGURATION_LOCKED in 1.0.0. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_force_configure(rocprofiler_configure_func_t configure_func);

/* 0 no, -1 in progress, 1 done. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_is_initialized(int* status);
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_is_finalized(int* status);

/* ---- Version, names, time (any) ------------------------------------------------------------- */

/* Each argument may be NULL. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_get_version(uint32_t* major, uint32_t* minor, uint32_t* patch);
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_get_version_triplet(rocprofiler_version_triplet_t* info);

/* NULL for a value the library does not know. */
ROCPROFILER_ABI const char* rocprofiler_get_status_name(rocprofiler_status_t status);
ROCPROFILER_ABI const char* rocprofiler_get_status_string(rocprofiler_status_t status);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t* ts);
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_get_thread_id(rocprofiler_thread_id_t* tid);

/* ---- Contexts ------------------------------------------------------------------------------- */

/* init (aborts inside configure). The handle must be 0 on entry. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t* context_id);

/* started. Already active: SUCCESS. A second active counting context: CONTEXT_CONFLICT. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id);

/* started. Not active: CONTEXT_NOT_FOUND. Waits until queued counter records are delivered. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context_id);

/* 1 active. Unknown: CONTEXT_NOT_FOUND. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_context_is_active(rocprofiler_context_id_t context_id, int* status);

/* 1 valid. Unknown: CONTEXT_NOT_FOUND with 0. Upstream's comment has the two the wrong way round. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_context_is_valid(rocprofiler_context_id_t context_id, int* status);

/* ---- Buffers and threads -------------------------------------------------------------------- */

typedef void (*rocprofiler_buffer_tracing_cb_t)(rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
                                                rocprofiler_record_header_t** headers, size_t num_headers, void* data,
                                                uint64_t drop_count);

typedef void (*rocprofiler_internal_thread_library_cb_t)(rocprofiler_runtime_library_t library, void* data);

/* init. Sizes in bytes; watermark 0 delivers every record. The context is not checked. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t context_id, size_t size,
                                                               size_t watermark, rocprofiler_buffer_policy_t policy,
                                                               rocprofiler_buffer_tracing_cb_t callback,
                                                               void* callback_data, rocprofiler_buffer_id_t* buffer_id);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_destroy_buffer(rocprofiler_buffer_id_t buffer_id);

/* Works inside finalize (on a library thread); FINALIZED afterwards. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer_id);

/* init, both. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_create_callback_thread(rocprofiler_callback_thread_t* thread_id);
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_assign_callback_thread(rocprofiler_buffer_id_t buffer_id,
                                                                        rocprofiler_callback_thread_t thread_id);

/* any. `libs` is a set of rocprofiler_runtime_library_t bits. Both run on the creating thread. */
ROCPROFILER_ABI rocprofiler_status_t
rocprofiler_at_internal_thread_create(rocprofiler_internal_thread_library_cb_t precreate,
                                      rocprofiler_internal_thread_library_cb_t postcreate, int libs, void* data);

/* ---- Callback tracing ----------------------------------------------------------------------- */

typedef void (*rocprofiler_callback_tracing_cb_t)(rocprofiler_callback_tracing_record_t record,
                                                  rocprofiler_user_data_t* user_data, void* callback_data);

/* A return value other than 0 ends the iteration. */
typedef int (*rocprofiler_callback_tracing_kind_cb_t)(rocprofiler_callback_tracing_kind_t kind, void* data);
typedef int (*rocprofiler_callback_tracing_kind_operation_cb_t)(rocprofiler_callback_tracing_kind_t kind,
                                                                rocprofiler_tracing_operation_t operation, void* data);

/* init. NULL and 0 select all operations. Never pass a kind the library did not list itself. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t context_id, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t* operations, size_t operations_count,
    rocprofiler_callback_tracing_cb_t callback, void* callback_args);

/* any. Names have no prefix ("KERNEL_DISPATCH"); an unknown kind gives KIND_NOT_FOUND and NULL. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_callback_tracing_kind_name(
    rocprofiler_callback_tracing_kind_t kind, const char** name, uint64_t* name_len);

/* any. Names carry the domain ("KERNEL_DISPATCH_ENQUEUE"). */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_callback_tracing_kind_operation_name(
    rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation, const char** name,
    uint64_t* name_len);

/* any. NONE included, LAST not. */
ROCPROFILER_ABI rocprofiler_status_t
rocprofiler_iterate_callback_tracing_kinds(rocprofiler_callback_tracing_kind_cb_t callback, void* data);

/* any. Operation 0 included; an unknown kind is SUCCESS without a call. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
    rocprofiler_callback_tracing_kind_t kind, rocprofiler_callback_tracing_kind_operation_cb_t callback, void* data);

/* ---- Buffer tracing (rules as for callback tracing) ----------------------------------------- */

typedef int (*rocprofiler_buffer_tracing_kind_cb_t)(rocprofiler_buffer_tracing_kind_t kind, void* data);
typedef int (*rocprofiler_buffer_tracing_kind_operation_cb_t)(rocprofiler_buffer_tracing_kind_t kind,
                                                              rocprofiler_tracing_operation_t operation, void* data);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_configure_buffer_tracing_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t* operations, size_t operations_count, rocprofiler_buffer_id_t buffer_id);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_buffer_tracing_kind_name(rocprofiler_buffer_tracing_kind_t kind,
                                                                                const char** name, uint64_t* name_len);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_buffer_tracing_kind_operation_name(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation, const char** name,
    uint64_t* name_len);

ROCPROFILER_ABI rocprofiler_status_t
rocprofiler_iterate_buffer_tracing_kinds(rocprofiler_buffer_tracing_kind_cb_t callback, void* data);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kind_operations(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_buffer_tracing_kind_operation_cb_t callback, void* data);

/* ---- Dispatch counting ---------------------------------------------------------------------- */

/* Runs on the submitting thread. Leaving `*config` at 0 skips the dispatch; a handle that does not
 * exist aborts. */
typedef void (*rocprofiler_dispatch_counting_service_cb_t)(rocprofiler_dispatch_counting_service_data_t dispatch_data,
                                                           rocprofiler_counter_config_id_t* config,
                                                           rocprofiler_user_data_t* user_data,
                                                           void* callback_data_args);

/* Runs later, on a thread of the library. */
typedef void (*rocprofiler_dispatch_counting_record_cb_t)(rocprofiler_dispatch_counting_service_data_t dispatch_data,
                                                          rocprofiler_counter_record_t* record_data,
                                                          size_t record_count, rocprofiler_user_data_t user_data,
                                                          void* callback_data_args);

/* Bad context: CONTEXT_INVALID. A repeat in the same context succeeds and adds a second pair. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_dispatch_counting_service_cb_t dispatch_callback,
    void* dispatch_callback_args, rocprofiler_dispatch_counting_record_cb_t record_callback,
    void* record_callback_args);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_dispatch_counting_service_cb_t dispatch_callback, void* dispatch_callback_args);

/* Type of `rocprofiler_dispatch_counting_service_set_agents`, which only newer libraries export: look
 * it up with dlsym and assume all agents without it. NULL with 0 removes the restriction. Source:
 * ROCm/rocm-systems projects/rocprofiler-sdk, context.cpp @003ba9fb. */
typedef rocprofiler_status_t (*rocprofiler_dispatch_counting_service_set_agents_fn_t)(
    rocprofiler_context_id_t context_id, const rocprofiler_agent_id_t* agents, size_t num_agents);

/* ---- Counters (any) ------------------------------------------------------------------------- */

typedef rocprofiler_status_t (*rocprofiler_available_counters_cb_t)(rocprofiler_agent_id_t agent_id,
                                                                    rocprofiler_counter_id_t* counters,
                                                                    size_t num_counters, void* user_data);

typedef rocprofiler_status_t (*rocprofiler_available_dimensions_cb_t)(
    rocprofiler_counter_id_t id, const rocprofiler_counter_record_dimension_info_t* dim_info, size_t num_dims,
    void* user_data);

/* Returns what the callback returned; AGENT_ARCH_NOT_SUPPORTED for a CPU. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(
    rocprofiler_agent_id_t agent_id, rocprofiler_available_counters_cb_t callback, void* user_data);

/* `info`: see rocprofiler_counter_info_v1_t. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t counter_id,
                                                                    rocprofiler_counter_info_version_id_t version,
                                                                    void* info);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_iterate_counter_dimensions(
    rocprofiler_counter_id_t id, rocprofiler_available_dimensions_cb_t callback, void* user_data);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_counter_instance_count(rocprofiler_agent_id_t agent_id,
                                                                              rocprofiler_counter_id_t counter_id,
                                                                              size_t* instance_count);

/* Pure arithmetic on the instance id: always SUCCESS, cheap enough for every record. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t id,
                                                                         rocprofiler_counter_id_t* counter_id);
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_record_dimension_position(rocprofiler_counter_instance_id_t id,
                                                                                 rocprofiler_counter_dimension_id_t dim,
                                                                                 size_t* pos);

/* Zero the handle first: a non-zero one asks for a merge with that config. EXCEEDS_HW_LIMIT when the
 * counters do not fit one pass (the handle stays as it was). */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
                                                                       rocprofiler_counter_id_t* counters_list,
                                                                       size_t counters_count,
                                                                       rocprofiler_counter_config_id_t* config_id);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config_id);

/* Only before the library first reads its own definitions, else STATUS_ERROR. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_load_counter_definition(const char* yaml, size_t size,
                                                                         rocprofiler_counter_flag_t flags);

/* ---- Agents (any) --------------------------------------------------------------------------- */

/* `agents` points to agent structs of the version asked for (rocprofiler_agent_v0_t). */
typedef rocprofiler_status_t (*rocprofiler_query_available_agents_cb_t)(rocprofiler_agent_version_t version,
                                                                        const void** agents, size_t num_agents,
                                                                        void* user_data);

/* Returns what the callback returned; INCOMPATIBLE_ABI when `agent_size` is more than the library's. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_available_agents(
    rocprofiler_agent_version_t version, rocprofiler_query_available_agents_cb_t callback, size_t agent_size,
    void* user_data);

/* ---- External correlation ids --------------------------------------------------------------- */

/* Returns 0 when it has set the value. */
typedef int (*rocprofiler_external_correlation_id_request_cb_t)(
    rocprofiler_thread_id_t thread_id, rocprofiler_context_id_t context_id,
    rocprofiler_external_correlation_id_request_kind_t kind, rocprofiler_tracing_operation_t operation,
    uint64_t internal_corr_id_value, rocprofiler_user_data_t* external_corr_id_value, void* data);

/* Once per context. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
    rocprofiler_context_id_t context_id, const rocprofiler_external_correlation_id_request_kind_t* kinds,
    size_t kinds_count, rocprofiler_external_correlation_id_request_cb_t callback, void* callback_args);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_query_external_correlation_id_request_kind_name(
    rocprofiler_external_correlation_id_request_kind_t kind, const char** name, uint64_t* name_len);

ROCPROFILER_ABI rocprofiler_status_t rocprofiler_push_external_correlation_id(rocprofiler_context_id_t context_id,
                                                                              rocprofiler_thread_id_t tid,
                                                                              rocprofiler_user_data_t value);

/* An empty stack is SUCCESS with value 0. */
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_pop_external_correlation_id(rocprofiler_context_id_t context_id,
                                                                             rocprofiler_thread_id_t tid,
                                                                             rocprofiler_user_data_t* value);

#ifdef __cplusplus
}
#endif

#endif
