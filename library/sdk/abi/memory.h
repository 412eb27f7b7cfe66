/* SPDX-License-Identifier: MIT */

/* Tracing of memory: operations and payloads of the MEMORY_ALLOCATION and MEMORY_COPY kinds, and of the calls of HSA
 * and HIP that this project follows, at the level of SDK 1.4.1.
 *
 * Names, values and layouts are those of ROCm/rocm-systems, projects/rocprofiler-sdk/source/include/rocprofiler-sdk/
 * fwd.h, callback_tracing.h, hsa/api_args.h and hip/api_args.h @1b1610fc. pins.h fails the build when one changes.
 *
 * What is delivered (source/lib/rocprofiler-sdk/hsa/{memory_allocation,async_copy}.cpp @1b1610fc):
 *   MEMORY_ALLOCATION  one ENTER and one EXIT around each call, on its thread; EXIT has the address, ENTER of an
 *                      allocation has none. ALLOCATE: hsa_memory_allocate and hsa_amd_memory_pool_allocate, of any
 *                      agent, the CPU's too; FREE has neither agent nor size. VMEM_ALLOCATE and VMEM_FREE are
 *                      hsa_amd_vmem_handle_create and _release; `address` is the handle then.
 *   MEMORY_COPY        ENTER on the thread that starts an asynchronous copy, EXIT on a thread of the SDK when it has
 *                      ended, with times; no EXIT when its times cannot be had. Operations are directions.
 *   HSA_*, HIP_*_API   one ENTER and one EXIT around each call, on its thread; out parameters and `retval` are set in
 *                      EXIT. Operations count from 0, have -1 for none, and are named like the functions. Their numbers
 *                      change as functions are added: look them up by name.
 *
 * The payload of an API call is `size`, then a union of all functions' parameters, then a union of results. The first
 * union grows from release to release, so that the result is found from the end: `size` is that of the whole payload,
 * and the union of results is 8 bytes for HSA and 24 for HIP. */

#ifndef MULTIPASS_SDK_ABI_MEMORY_H
#define MULTIPASS_SDK_ABI_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "sdk/abi/enums.h"
#include "sdk/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rocprofiler_memory_copy_operation_t ROCPROFILER_ABI_INT {
  ROCPROFILER_MEMORY_COPY_NONE = 0,
  ROCPROFILER_MEMORY_COPY_HOST_TO_HOST = 1,
  ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE = 2,
  ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST = 3,
  ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE = 4,
  ROCPROFILER_MEMORY_COPY_LAST = 5,
} rocprofiler_memory_copy_operation_t;

typedef enum rocprofiler_memory_allocation_operation_t ROCPROFILER_ABI_INT {
  ROCPROFILER_MEMORY_ALLOCATION_NONE = 0,
  ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE = 1,
  ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE = 2,
  ROCPROFILER_MEMORY_ALLOCATION_FREE = 3,
  ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE = 4,
  ROCPROFILER_MEMORY_ALLOCATION_LAST = 5,
} rocprofiler_memory_allocation_operation_t;

typedef struct rocprofiler_callback_tracing_memory_copy_data_t {
  uint64_t size;
  rocprofiler_timestamp_t start_timestamp; /* 0 in ENTER */
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_agent_id_t dst_agent_id;
  rocprofiler_agent_id_t src_agent_id;
  uint64_t bytes;
  rocprofiler_address_t dst_address;
  rocprofiler_address_t src_address;
} rocprofiler_callback_tracing_memory_copy_data_t;

typedef struct rocprofiler_callback_tracing_memory_allocation_data_t {
  uint64_t size;
  rocprofiler_timestamp_t start_timestamp; /* 0 in ENTER */
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_agent_id_t agent_id;
  rocprofiler_address_t address;
  uint64_t allocation_size; /* bytes */
} rocprofiler_callback_tracing_memory_allocation_data_t;

/* The parameters of the calls that are followed; pointers belong to the caller. They stand at MULTIPASS_API_ARGS_OFFSET
 * in the payload of HSA_AMD_EXT_API and HIP_RUNTIME_API. Names of our own: upstream's are anonymous members of its
 * unions, called like the functions. An hsa_amd_memory_pool_t, hsa_amd_vmem_alloc_handle_t, hsa_agent_t is a uint64_t
 * handle; a hipStream_t and hipMemPool_t a pointer. */
enum {
  MULTIPASS_API_ARGS_OFFSET = 8,
  MULTIPASS_HSA_RETVAL_SIZE = 8,  /* hsa_status_t is its first 4 bytes; 0 is success */
  MULTIPASS_HIP_RETVAL_SIZE = 24, /* hipError_t likewise */
};

typedef struct multipass_hsa_amd_vmem_handle_create_args {
  uint64_t pool;
  size_t size;
  int type;
  uint64_t flags;
  uint64_t* memory_handle;
} multipass_hsa_amd_vmem_handle_create_args;

typedef struct multipass_hsa_amd_vmem_map_args {
  void* va;
  size_t size;
  size_t in_offset;
  uint64_t memory_handle;
  uint64_t flags;
} multipass_hsa_amd_vmem_map_args;

typedef struct multipass_hsa_amd_vmem_unmap_args {
  void* va;
  size_t size;
} multipass_hsa_amd_vmem_unmap_args;

typedef struct multipass_hsa_amd_vmem_export_shareable_handle_args {
  int* dmabuf_fd;
  uint64_t handle;
  uint64_t flags;
} multipass_hsa_amd_vmem_export_shareable_handle_args;

typedef struct multipass_hsa_amd_vmem_import_shareable_handle_args {
  int dmabuf_fd;
  uint64_t* handle;
} multipass_hsa_amd_vmem_import_shareable_handle_args;

typedef struct multipass_hsa_amd_ipc_memory_create_args {
  void* ptr;
  size_t len;
  void* handle;
} multipass_hsa_amd_ipc_memory_create_args;

typedef struct multipass_hsa_amd_ipc_memory_attach_args {
  const void* handle;
  size_t len;
  uint32_t num_agents;
  const uint64_t* mapping_agents;
  void** mapped_ptr;
} multipass_hsa_amd_ipc_memory_attach_args;

typedef struct multipass_hsa_amd_ipc_memory_detach_args {
  void* mapped_ptr;
} multipass_hsa_amd_ipc_memory_detach_args;

typedef struct multipass_hsa_amd_interop_map_buffer_args {
  uint32_t num_agents;
  uint64_t* agents;
  int interop_handle;
  uint32_t flags;
  size_t* size;
  void** ptr;
  size_t* metadata_size;
  const void** metadata;
} multipass_hsa_amd_interop_map_buffer_args;

typedef struct multipass_hsa_amd_interop_unmap_buffer_args {
  void* ptr;
} multipass_hsa_amd_interop_unmap_buffer_args;

typedef struct multipass_hsa_amd_svm_attributes_set_args {
  void* ptr;
  size_t size;
  void* attribute_list;
  size_t attribute_count;
} multipass_hsa_amd_svm_attributes_set_args;

/* hsa_amd_portable_export_dmabuf and its _v2, which has one more parameter. */
typedef struct multipass_hsa_amd_portable_export_dmabuf_args {
  const void* ptr;
  size_t size;
  int* dmabuf;
  uint64_t* offset;
} multipass_hsa_amd_portable_export_dmabuf_args;

/* hipMallocManaged, hipExtMallocWithFlags, hipHostMalloc, hipHostAlloc, hipExtHostAlloc. */
typedef struct multipass_hip_malloc_with_flags_args {
  void** ptr;
  size_t size;
  unsigned int flags;
} multipass_hip_malloc_with_flags_args;

typedef struct multipass_hip_malloc_async_args {
  void** ptr;
  size_t size;
  void* stream;
} multipass_hip_malloc_async_args;

typedef struct multipass_hip_malloc_from_pool_async_args {
  void** ptr;
  size_t size;
  void* pool;
  void* stream;
} multipass_hip_malloc_from_pool_async_args;

/* hipMallocHost and hipMemAllocHost; what hipHostMalloc, hipHostAlloc and hipExtHostAlloc have before their flags. */
typedef struct multipass_hip_malloc_host_args {
  void** ptr;
  size_t size;
} multipass_hip_malloc_host_args;

typedef struct multipass_hip_host_register_args {
  void* ptr;
  size_t size;
  unsigned int flags;
} multipass_hip_host_register_args;

/* hipFree, hipHostFree, hipFreeHost, hipHostUnregister; hipFreeAsync has a stream after it; hipIpcCloseMemHandle. */
typedef struct multipass_hip_free_args {
  void* ptr;
} multipass_hip_free_args;

#ifdef __cplusplus
}
#endif

#endif
