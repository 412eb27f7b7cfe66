/* SPDX-License-Identifier: MIT */

/* Pins of the parameters in memory.h, whose types have names of our own: tests/sdk_headers, which looks names up in the
 * headers of an installation, cannot compare them. Sources as there. */

#ifndef MULTIPASS_SDK_ABI_PIN_API_ARGS_H
#define MULTIPASS_SDK_ABI_PIN_API_ARGS_H

#include "sdk/abi/memory.h"
#include "sdk/abi/pin.h"

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
MULTIPASS_PIN_SIZE(multipass_hip_malloc_host_args, 16);
MULTIPASS_PIN_MEMBER(multipass_hip_malloc_host_args, size, 8, 8);
MULTIPASS_PIN_SIZE(multipass_hip_host_register_args, 24);
MULTIPASS_PIN_MEMBER(multipass_hip_host_register_args, size, 8, 8);
MULTIPASS_PIN_SIZE(multipass_hip_free_args, 8);

#endif
