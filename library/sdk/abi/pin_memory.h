/* SPDX-License-Identifier: MIT */

/* Pins of memory.h: values of its enumerators, sizes and places of its members, as far as upstream names them.
 * Sources as there. */

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

#endif
