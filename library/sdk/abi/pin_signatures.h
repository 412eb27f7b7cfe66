/* SPDX-License-Identifier: MIT */

/* Pins of functions.h and of the callback types in records.h and types.h: the whole type of every one. Sources as in
 * those headers. */

#ifndef MULTIPASS_SDK_ABI_PIN_SIGNATURES_H
#define MULTIPASS_SDK_ABI_PIN_SIGNATURES_H

#include "sdk/abi/functions.h"
#include "sdk/abi/pin.h"

MULTIPASS_PIN_CALLBACK(rocprofiler_configure_func_t, rocprofiler_tool_configure_result_t*,
                       (uint32_t, const char*, uint32_t, rocprofiler_client_id_t*));
MULTIPASS_PIN_CALLBACK(rocprofiler_buffer_tracing_cb_t, void,
                       (rocprofiler_context_id_t, rocprofiler_buffer_id_t, rocprofiler_record_header_t**, size_t, void*,
                        uint64_t));
MULTIPASS_PIN_CALLBACK(rocprofiler_internal_thread_library_cb_t, void, (rocprofiler_runtime_library_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_callback_tracing_cb_t, void,
                       (rocprofiler_callback_tracing_record_t, rocprofiler_user_data_t*, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_callback_tracing_kind_cb_t, int, (rocprofiler_callback_tracing_kind_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_callback_tracing_kind_operation_cb_t, int,
                       (rocprofiler_callback_tracing_kind_t, rocprofiler_tracing_operation_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_buffer_tracing_kind_cb_t, int, (rocprofiler_buffer_tracing_kind_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_buffer_tracing_kind_operation_cb_t, int,
                       (rocprofiler_buffer_tracing_kind_t, rocprofiler_tracing_operation_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_dispatch_counting_service_cb_t, void,
                       (rocprofiler_dispatch_counting_service_data_t, rocprofiler_counter_config_id_t*,
                        rocprofiler_user_data_t*, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_dispatch_counting_record_cb_t, void,
                       (rocprofiler_dispatch_counting_service_data_t, rocprofiler_counter_record_t*, size_t,
                        rocprofiler_user_data_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_dispatch_counting_service_set_agents_fn_t, rocprofiler_status_t,
                       (rocprofiler_context_id_t, const rocprofiler_agent_id_t*, size_t));
MULTIPASS_PIN_CALLBACK(rocprofiler_available_counters_cb_t, rocprofiler_status_t,
                       (rocprofiler_agent_id_t, rocprofiler_counter_id_t*, size_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_available_dimensions_cb_t, rocprofiler_status_t,
                       (rocprofiler_counter_id_t, const rocprofiler_counter_record_dimension_info_t*, size_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_query_available_agents_cb_t, rocprofiler_status_t,
                       (rocprofiler_agent_version_t, const void**, size_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_external_correlation_id_request_cb_t, int,
                       (rocprofiler_thread_id_t, rocprofiler_context_id_t,
                        rocprofiler_external_correlation_id_request_kind_t, rocprofiler_tracing_operation_t, uint64_t,
                        rocprofiler_user_data_t*, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_kernel_replay_pass_count_cb_t, uint64_t,
                       (rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t));
MULTIPASS_PIN_CALLBACK(rocprofiler_kernel_replay_continue_cb_t, int,
                       (rocprofiler_kernel_dispatch_info_t, uint64_t, uint64_t, rocprofiler_user_data_t));
MULTIPASS_PIN_CALLBACK(rocprofiler_kernel_replay_context_cb_t, rocprofiler_status_t, (rocprofiler_context_id_t));
MULTIPASS_PIN_CALLBACK(rocprofiler_client_finalize_t, void, (rocprofiler_client_id_t));
MULTIPASS_PIN_CALLBACK(rocprofiler_tool_initialize_t, int, (rocprofiler_client_finalize_t, void*));
MULTIPASS_PIN_CALLBACK(rocprofiler_tool_finalize_t, void, (void*));

MULTIPASS_PIN_FUNCTION(rocprofiler_configure, rocprofiler_tool_configure_result_t*,
                       (uint32_t, const char*, uint32_t, rocprofiler_client_id_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_set_api_table, int, (const char*, uint64_t, uint64_t, void**, uint64_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_force_configure, rocprofiler_status_t, (rocprofiler_configure_func_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_is_initialized, rocprofiler_status_t, (int*));
MULTIPASS_PIN_FUNCTION(rocprofiler_is_finalized, rocprofiler_status_t, (int*));
MULTIPASS_PIN_FUNCTION(rocprofiler_get_version, rocprofiler_status_t, (uint32_t*, uint32_t*, uint32_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_get_version_triplet, rocprofiler_status_t, (rocprofiler_version_triplet_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_get_status_name, const char*, (rocprofiler_status_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_get_status_string, const char*, (rocprofiler_status_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_get_timestamp, rocprofiler_status_t, (rocprofiler_timestamp_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_get_thread_id, rocprofiler_status_t, (rocprofiler_thread_id_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_create_context, rocprofiler_status_t, (rocprofiler_context_id_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_start_context, rocprofiler_status_t, (rocprofiler_context_id_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_stop_context, rocprofiler_status_t, (rocprofiler_context_id_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_context_is_active, rocprofiler_status_t, (rocprofiler_context_id_t, int*));
MULTIPASS_PIN_FUNCTION(rocprofiler_context_is_valid, rocprofiler_status_t, (rocprofiler_context_id_t, int*));
MULTIPASS_PIN_FUNCTION(rocprofiler_create_buffer, rocprofiler_status_t,
                       (rocprofiler_context_id_t, size_t, size_t, rocprofiler_buffer_policy_t,
                        rocprofiler_buffer_tracing_cb_t, void*, rocprofiler_buffer_id_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_destroy_buffer, rocprofiler_status_t, (rocprofiler_buffer_id_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_flush_buffer, rocprofiler_status_t, (rocprofiler_buffer_id_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_create_callback_thread, rocprofiler_status_t, (rocprofiler_callback_thread_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_assign_callback_thread, rocprofiler_status_t,
                       (rocprofiler_buffer_id_t, rocprofiler_callback_thread_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_at_internal_thread_create, rocprofiler_status_t,
                       (rocprofiler_internal_thread_library_cb_t, rocprofiler_internal_thread_library_cb_t, int,
                        void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_configure_callback_tracing_service, rocprofiler_status_t,
                       (rocprofiler_context_id_t, rocprofiler_callback_tracing_kind_t,
                        const rocprofiler_tracing_operation_t*, size_t, rocprofiler_callback_tracing_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_callback_tracing_kind_name, rocprofiler_status_t,
                       (rocprofiler_callback_tracing_kind_t, const char**, uint64_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_callback_tracing_kind_operation_name, rocprofiler_status_t,
                       (rocprofiler_callback_tracing_kind_t, rocprofiler_tracing_operation_t, const char**, uint64_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_iterate_callback_tracing_kinds, rocprofiler_status_t,
                       (rocprofiler_callback_tracing_kind_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_iterate_callback_tracing_kind_operations, rocprofiler_status_t,
                       (rocprofiler_callback_tracing_kind_t, rocprofiler_callback_tracing_kind_operation_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_configure_buffer_tracing_service, rocprofiler_status_t,
                       (rocprofiler_context_id_t, rocprofiler_buffer_tracing_kind_t,
                        const rocprofiler_tracing_operation_t*, size_t, rocprofiler_buffer_id_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_buffer_tracing_kind_name, rocprofiler_status_t,
                       (rocprofiler_buffer_tracing_kind_t, const char**, uint64_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_buffer_tracing_kind_operation_name, rocprofiler_status_t,
                       (rocprofiler_buffer_tracing_kind_t, rocprofiler_tracing_operation_t, const char**, uint64_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_iterate_buffer_tracing_kinds, rocprofiler_status_t,
                       (rocprofiler_buffer_tracing_kind_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_iterate_buffer_tracing_kind_operations, rocprofiler_status_t,
                       (rocprofiler_buffer_tracing_kind_t, rocprofiler_buffer_tracing_kind_operation_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_configure_callback_dispatch_counting_service, rocprofiler_status_t,
                       (rocprofiler_context_id_t, rocprofiler_dispatch_counting_service_cb_t, void*,
                        rocprofiler_dispatch_counting_record_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_configure_buffer_dispatch_counting_service, rocprofiler_status_t,
                       (rocprofiler_context_id_t, rocprofiler_buffer_id_t, rocprofiler_dispatch_counting_service_cb_t,
                        void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_iterate_agent_supported_counters, rocprofiler_status_t,
                       (rocprofiler_agent_id_t, rocprofiler_available_counters_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_counter_info, rocprofiler_status_t,
                       (rocprofiler_counter_id_t, rocprofiler_counter_info_version_id_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_iterate_counter_dimensions, rocprofiler_status_t,
                       (rocprofiler_counter_id_t, rocprofiler_available_dimensions_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_counter_instance_count, rocprofiler_status_t,
                       (rocprofiler_agent_id_t, rocprofiler_counter_id_t, size_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_record_counter_id, rocprofiler_status_t,
                       (rocprofiler_counter_instance_id_t, rocprofiler_counter_id_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_record_dimension_position, rocprofiler_status_t,
                       (rocprofiler_counter_instance_id_t, rocprofiler_counter_dimension_id_t, size_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_create_counter_config, rocprofiler_status_t,
                       (rocprofiler_agent_id_t, rocprofiler_counter_id_t*, size_t, rocprofiler_counter_config_id_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_destroy_counter_config, rocprofiler_status_t, (rocprofiler_counter_config_id_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_load_counter_definition, rocprofiler_status_t,
                       (const char*, size_t, rocprofiler_counter_flag_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_available_agents, rocprofiler_status_t,
                       (rocprofiler_agent_version_t, rocprofiler_query_available_agents_cb_t, size_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_configure_external_correlation_id_request_service, rocprofiler_status_t,
                       (rocprofiler_context_id_t, const rocprofiler_external_correlation_id_request_kind_t*, size_t,
                        rocprofiler_external_correlation_id_request_cb_t, void*));
MULTIPASS_PIN_FUNCTION(rocprofiler_query_external_correlation_id_request_kind_name, rocprofiler_status_t,
                       (rocprofiler_external_correlation_id_request_kind_t, const char**, uint64_t*));
MULTIPASS_PIN_FUNCTION(rocprofiler_push_external_correlation_id, rocprofiler_status_t,
                       (rocprofiler_context_id_t, rocprofiler_thread_id_t, rocprofiler_user_data_t));
MULTIPASS_PIN_FUNCTION(rocprofiler_pop_external_correlation_id, rocprofiler_status_t,
                       (rocprofiler_context_id_t, rocprofiler_thread_id_t, rocprofiler_user_data_t*));

#endif
