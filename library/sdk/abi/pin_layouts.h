/* SPDX-License-Identifier: MIT */

/* Pins of types.h, records.h and agent.h: the size of every struct and the place of every member. Sources as in those
 * headers. */

#ifndef MULTIPASS_SDK_ABI_PIN_LAYOUTS_H
#define MULTIPASS_SDK_ABI_PIN_LAYOUTS_H

#include "sdk/abi/agent.h"
#include "sdk/abi/pin.h"
#include "sdk/abi/records.h"
#include "sdk/abi/types.h"

/* Scalars and handles. */
MULTIPASS_PIN_SIZE(rocprofiler_timestamp_t, 8);
MULTIPASS_PIN_SIZE(rocprofiler_thread_id_t, 8);
MULTIPASS_PIN_SIZE(rocprofiler_kernel_id_t, 8);
MULTIPASS_PIN_SIZE(rocprofiler_dispatch_id_t, 8);
MULTIPASS_PIN_SIZE(rocprofiler_counter_instance_id_t, 8);
MULTIPASS_PIN_SIZE(rocprofiler_counter_dimension_id_t, 8);
MULTIPASS_PIN_SIZE(rocprofiler_tracing_operation_t, 4);

MULTIPASS_PIN_SIZE(rocprofiler_context_id_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_context_id_t, handle, 0, 8);
MULTIPASS_PIN_SIZE(rocprofiler_buffer_id_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_id_t, handle, 0, 8);
MULTIPASS_PIN_SIZE(rocprofiler_agent_id_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_id_t, handle, 0, 8);
MULTIPASS_PIN_SIZE(rocprofiler_queue_id_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_queue_id_t, handle, 0, 8);
MULTIPASS_PIN_SIZE(rocprofiler_stream_id_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_stream_id_t, handle, 0, 8);
MULTIPASS_PIN_SIZE(rocprofiler_counter_id_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_id_t, handle, 0, 8);
MULTIPASS_PIN_SIZE(rocprofiler_counter_config_id_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_config_id_t, handle, 0, 8);
MULTIPASS_PIN_SIZE(rocprofiler_callback_thread_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_thread_t, handle, 0, 8);
MULTIPASS_PIN_SIZE(hsa_agent_t, 8);
MULTIPASS_PIN_MEMBER(hsa_agent_t, handle, 0, 8);

MULTIPASS_PIN_SIZE(rocprofiler_client_id_t, 24);
MULTIPASS_PIN_MEMBER(rocprofiler_client_id_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_client_id_t, name, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_client_id_t, handle, 16, 4);

MULTIPASS_PIN_SIZE(rocprofiler_tool_configure_result_t, 32);
MULTIPASS_PIN_MEMBER(rocprofiler_tool_configure_result_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_tool_configure_result_t, initialize, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_tool_configure_result_t, finalize, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_tool_configure_result_t, tool_data, 24, 8);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_record_t, 64);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_record_t, context_id, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_record_t, thread_id, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_record_t, correlation_id, 16, 24);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_record_t, kind, 40, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_record_t, operation, 44, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_record_t, phase, 48, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_record_t, payload, 56, 8);

MULTIPASS_PIN_SIZE(rocprofiler_record_header_t, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_record_header_t, category, 0, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_record_header_t, kind, 4, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_record_header_t, hash, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_record_header_t, payload, 8, 8);

MULTIPASS_PIN_SIZE(rocprofiler_user_data_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_user_data_t, value, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_user_data_t, ptr, 0, 8);

MULTIPASS_PIN_SIZE(rocprofiler_address_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_address_t, handle, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_address_t, value, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_address_t, ptr, 0, 8);

MULTIPASS_PIN_SIZE(rocprofiler_dim3_t, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_dim3_t, x, 0, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_dim3_t, y, 4, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_dim3_t, z, 8, 4);

MULTIPASS_PIN_SIZE(rocprofiler_uuid_t, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_uuid_t, bytes, 0, 16);

MULTIPASS_PIN_SIZE(rocprofiler_version_triplet_t, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_version_triplet_t, major, 0, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_version_triplet_t, minor, 4, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_version_triplet_t, patch, 8, 4);

MULTIPASS_PIN_SIZE(rocprofiler_correlation_id_t, 24);
MULTIPASS_PIN_MEMBER(rocprofiler_correlation_id_t, internal, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_correlation_id_t, external, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_correlation_id_t, ancestor, 16, 8);

MULTIPASS_PIN_SIZE(rocprofiler_async_correlation_id_t, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_async_correlation_id_t, internal, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_async_correlation_id_t, external, 8, 8);

MULTIPASS_PIN_SIZE(rocprofiler_kernel_dispatch_info_t, 128);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, agent_id, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, queue_id, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, kernel_id, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, dispatch_id, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, private_segment_size, 40, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, group_segment_size, 44, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, workgroup_size, 48, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, grid_size, 60, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_kernel_dispatch_info_t, reserved_padding, 72, 56);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_kernel_replay_data_t, 184);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_replay_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_replay_data_t, dispatch_info, 8, 128);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_replay_data_t, current_pass, 136, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_replay_data_t, total_passes, 144, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_replay_data_t, replay_pass_count, 152, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_replay_data_t, replay_continue, 160, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_replay_data_t, replay_start_context, 168, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_replay_data_t, replay_stop_context, 176, 8);

MULTIPASS_PIN_SIZE(rocprofiler_dispatch_counting_service_data_t, 168);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_data_t, correlation_id, 8, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_data_t, start_timestamp, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_data_t, end_timestamp, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_data_t, dispatch_info, 40, 128);

MULTIPASS_PIN_SIZE(rocprofiler_dispatch_counting_service_record_t, 176);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_record_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_record_t, num_records, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_record_t, correlation_id, 16, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_record_t, start_timestamp, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_record_t, end_timestamp, 40, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_dispatch_counting_service_record_t, dispatch_info, 48, 128);

MULTIPASS_PIN_SIZE(rocprofiler_counter_record_t, 40);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_t, id, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_t, counter_value, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_t, dispatch_id, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_t, user_data, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_t, agent_id, 32, 8);

MULTIPASS_PIN_SIZE(rocprofiler_counter_info_v0_t, 48);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v0_t, id, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v0_t, name, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v0_t, description, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v0_t, block, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v0_t, expression, 32, 8);
MULTIPASS_PIN_BIT(rocprofiler_counter_info_v0_t, is_constant, 40, 0);
MULTIPASS_PIN_BIT(rocprofiler_counter_info_v0_t, is_derived, 40, 1);

MULTIPASS_PIN_SIZE(rocprofiler_counter_info_v1_t, 96);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, id, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, name, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, description, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, block, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, expression, 40, 8);
MULTIPASS_PIN_BIT(rocprofiler_counter_info_v1_t, is_constant, 48, 0);
MULTIPASS_PIN_BIT(rocprofiler_counter_info_v1_t, is_derived, 48, 1);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, dimensions_count, 56, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, dimensions, 64, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, dimensions_instances_count, 72, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, dimensions_instances, 80, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, spm_support, 88, 1);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_info_v1_t, reserved_padding, 89, 7);

MULTIPASS_PIN_SIZE(rocprofiler_counter_record_dimension_info_t, 24);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_dimension_info_t, name, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_dimension_info_t, instance_size, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_dimension_info_t, id, 16, 8);

MULTIPASS_PIN_SIZE(rocprofiler_counter_dimension_info_t, 24);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_dimension_info_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_dimension_info_t, dimension_name, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_dimension_info_t, index, 16, 8);

MULTIPASS_PIN_SIZE(rocprofiler_counter_record_dimension_instance_info_t, 40);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_dimension_instance_info_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_dimension_instance_info_t, instance_id, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_dimension_instance_info_t, counter_id, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_dimension_instance_info_t, dimensions_count, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_counter_record_dimension_instance_info_t, dimensions, 32, 8);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_kernel_dispatch_data_t, 152);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_dispatch_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_dispatch_data_t, start_timestamp, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_dispatch_data_t, end_timestamp, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_kernel_dispatch_data_t, dispatch_info, 24, 128);

MULTIPASS_PIN_SIZE(rocprofiler_buffer_tracing_kernel_dispatch_record_t, 184);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_tracing_kernel_dispatch_record_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_tracing_kernel_dispatch_record_t, kind, 8, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_tracing_kernel_dispatch_record_t, operation, 12, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_tracing_kernel_dispatch_record_t, correlation_id, 16, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_tracing_kernel_dispatch_record_t, thread_id, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_tracing_kernel_dispatch_record_t, start_timestamp, 40, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_tracing_kernel_dispatch_record_t, end_timestamp, 48, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_buffer_tracing_kernel_dispatch_record_t, dispatch_info, 56, 128);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_code_object_load_data_t, 88);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, code_object_id, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, agent_id, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, hsa_agent, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, uri, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, load_base, 40, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, load_size, 48, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, load_delta, 56, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, storage_type, 64, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, storage_file, 72, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, memory_base, 72, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_load_data_t, memory_size, 80, 8);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, 88);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, kernel_id, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, code_object_id, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, kernel_name, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, kernel_object, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, kernarg_segment_size, 40,
                     4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, kernarg_segment_alignment,
                     44, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, group_segment_size, 48, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, private_segment_size, 52,
                     4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, sgpr_count, 56, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, arch_vgpr_count, 60, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, accum_vgpr_count, 64, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t,
                     kernel_code_entry_byte_offset, 72, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t, kernel_address, 80, 8);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, 120);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, host_function_id, 8,
                     8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, kernel_id, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, code_object_id, 24,
                     8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, host_function, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, modules, 40, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, device_function, 48,
                     8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, thread_limit, 56, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, thread_ids, 60, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, block_ids, 72, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, block_dims, 84, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, grid_dims, 96, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t, workgroup_size, 112,
                     8);

MULTIPASS_PIN_SIZE(rocprofiler_agent_v0_t, 312);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, id, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, type, 16, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, cpu_cores_count, 20, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, simd_count, 24, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, mem_banks_count, 28, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, caches_count, 32, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, io_links_count, 36, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, cpu_core_id_base, 40, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, simd_id_base, 44, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, max_waves_per_simd, 48, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, lds_size_in_kb, 52, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, gds_size_in_kb, 56, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, num_gws, 60, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, wave_front_size, 64, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, num_xcc, 68, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, cu_count, 72, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, array_count, 76, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, num_shader_banks, 80, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, simd_arrays_per_engine, 84, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, cu_per_simd_array, 88, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, simd_per_cu, 92, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, max_slots_scratch_cu, 96, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, gfx_target_version, 100, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, vendor_id, 104, 2);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, device_id, 106, 2);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, location_id, 108, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, domain, 112, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, drm_render_minor, 116, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, num_sdma_engines, 120, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, num_sdma_xgmi_engines, 124, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, num_sdma_queues_per_engine, 128, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, num_cp_queues, 132, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, max_engine_clk_ccompute, 136, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, max_engine_clk_fcompute, 140, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, sdma_fw_version, 144, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, fw_version, 148, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, capability, 152, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, cu_per_engine, 156, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, max_waves_per_cu, 160, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, family_id, 164, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, workgroup_max_size, 168, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, grid_max_size, 172, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, local_mem_size, 176, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, hive_id, 184, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, gpu_id, 192, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, workgroup_max_dim, 200, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, grid_max_dim, 212, 12);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, mem_banks, 224, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, caches, 232, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, io_links, 240, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, name, 248, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, vendor_name, 256, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, product_name, 264, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, model_name, 272, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, node_id, 280, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, logical_node_id, 284, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, logical_node_type_id, 288, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, runtime_visibility, 292, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_v0_t, uuid, 296, 16);

MULTIPASS_PIN_SIZE(rocprofiler_agent_mem_bank_t, 24);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_mem_bank_t, heap_type, 0, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_mem_bank_t, flags, 4, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_mem_bank_t, width, 8, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_mem_bank_t, mem_clk_max, 12, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_agent_mem_bank_t, size_in_bytes, 16, 8);
MULTIPASS_PIN_SIZE(rocprofiler_agent_runtime_visiblity_t, 4);
MULTIPASS_PIN_BIT(rocprofiler_agent_runtime_visiblity_t, hsa, 0, 0);
MULTIPASS_PIN_BIT(rocprofiler_agent_runtime_visiblity_t, hip, 0, 1);
MULTIPASS_PIN_BIT(rocprofiler_agent_runtime_visiblity_t, rccl, 0, 2);
MULTIPASS_PIN_BIT(rocprofiler_agent_runtime_visiblity_t, rocdecode, 0, 3);
MULTIPASS_PIN_SIZE(HSA_CAPABILITY, 4);
MULTIPASS_PIN_MEMBER(HSA_CAPABILITY, Value, 0, 4);
MULTIPASS_PIN_SIZE(HSA_ENGINE_VERSION, 4);
MULTIPASS_PIN_MEMBER(HSA_ENGINE_VERSION, Value, 0, 4);
MULTIPASS_PIN_SIZE(HSA_ENGINE_ID, 4);
MULTIPASS_PIN_MEMBER(HSA_ENGINE_ID, Value, 0, 4);

#endif
