/* SPDX-License-Identifier: MIT */

/* Pins of memory.h: values of its enumerators, sizes and places of its members. Sources as there. */

#ifndef MULTIPASS_SDK_ABI_PIN_MEMORY_H
#define MULTIPASS_SDK_ABI_PIN_MEMORY_H

#include "sdk/abi/memory.h"
#include "sdk/abi/pin.h"

MULTIPASS_PIN_SIZE(rocprofiler_memory_copy_operation_t, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_COPY_NONE, 0);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_COPY_HOST_TO_HOST, 1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE, 2);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST, 3);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_COPY_LAST, 5);

MULTIPASS_PIN_SIZE(rocprofiler_memory_allocation_operation_t, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_ALLOCATION_NONE, 0);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, 1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE, 2);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_ALLOCATION_FREE, 3);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MEMORY_ALLOCATION_LAST, 5);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_memory_copy_data_t, 64);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_copy_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_copy_data_t, start_timestamp, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_copy_data_t, end_timestamp, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_copy_data_t, dst_agent_id, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_copy_data_t, src_agent_id, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_copy_data_t, bytes, 40, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_copy_data_t, dst_address, 48, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_copy_data_t, src_address, 56, 8);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_memory_allocation_data_t, 48);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_allocation_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_allocation_data_t, start_timestamp, 8, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_allocation_data_t, end_timestamp, 16, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_allocation_data_t, agent_id, 24, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_allocation_data_t, address, 32, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_memory_allocation_data_t, allocation_size, 40, 8);

MULTIPASS_PIN_SIZE(multipass_hsa_amd_vmem_handle_create_args, 40);
MULTIPASS_PIN_MEMBER(multipass_hsa_amd_vmem_handle_create_args, memory_handle, 32, 8);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_vmem_map_args, 40);
MULTIPASS_PIN_MEMBER(multipass_hsa_amd_vmem_map_args, memory_handle, 24, 8);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_vmem_unmap_args, 16);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_vmem_export_shareable_handle_args, 24);
MULTIPASS_PIN_MEMBER(multipass_hsa_amd_vmem_export_shareable_handle_args, handle, 8, 8);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_vmem_import_shareable_handle_args, 16);
MULTIPASS_PIN_MEMBER(multipass_hsa_amd_vmem_import_shareable_handle_args, handle, 8, 8);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_ipc_memory_create_args, 24);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_ipc_memory_attach_args, 40);
MULTIPASS_PIN_MEMBER(multipass_hsa_amd_ipc_memory_attach_args, mapped_ptr, 32, 8);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_ipc_memory_detach_args, 8);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_interop_map_buffer_args, 56);
MULTIPASS_PIN_MEMBER(multipass_hsa_amd_interop_map_buffer_args, ptr, 32, 8);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_interop_unmap_buffer_args, 8);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_svm_attributes_set_args, 32);
MULTIPASS_PIN_SIZE(multipass_hsa_amd_portable_export_dmabuf_args, 32);
MULTIPASS_PIN_SIZE(multipass_hip_malloc_with_flags_args, 24);
MULTIPASS_PIN_MEMBER(multipass_hip_malloc_with_flags_args, flags, 16, 4);
MULTIPASS_PIN_SIZE(multipass_hip_malloc_async_args, 24);
MULTIPASS_PIN_SIZE(multipass_hip_malloc_from_pool_async_args, 32);
MULTIPASS_PIN_SIZE(multipass_hip_free_args, 8);

#endif
