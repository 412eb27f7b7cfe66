// SPDX-License-Identifier: MIT
#include <array>

#include "sim/sdk/call_names.hpp"

namespace multipass_sim {

namespace {

// By number (rocprofiler-sdk, source/include/rocprofiler-sdk/hsa/amd_ext_api_id.h @1b1610fc, table step 7).
constexpr std::array kNames = {
    "hsa_amd_coherency_get_type",
    "hsa_amd_coherency_set_type",
    "hsa_amd_profiling_set_profiler_enabled",
    "hsa_amd_profiling_async_copy_enable",
    "hsa_amd_profiling_get_dispatch_time",
    "hsa_amd_profiling_get_async_copy_time",
    "hsa_amd_profiling_convert_tick_to_system_domain",
    "hsa_amd_signal_async_handler",
    "hsa_amd_async_function",
    "hsa_amd_signal_wait_any",
    "hsa_amd_queue_cu_set_mask",
    "hsa_amd_memory_pool_get_info",
    "hsa_amd_agent_iterate_memory_pools",
    "hsa_amd_memory_pool_allocate",
    "hsa_amd_memory_pool_free",
    "hsa_amd_memory_async_copy",
    "hsa_amd_memory_async_copy_on_engine",
    "hsa_amd_memory_copy_engine_status",
    "hsa_amd_agent_memory_pool_get_info",
    "hsa_amd_agents_allow_access",
    "hsa_amd_memory_pool_can_migrate",
    "hsa_amd_memory_migrate",
    "hsa_amd_memory_lock",
    "hsa_amd_memory_unlock",
    "hsa_amd_memory_fill",
    "hsa_amd_interop_map_buffer",
    "hsa_amd_interop_unmap_buffer",
    "hsa_amd_image_create",
    "hsa_amd_pointer_info",
    "hsa_amd_pointer_info_set_userdata",
    "hsa_amd_ipc_memory_create",
    "hsa_amd_ipc_memory_attach",
    "hsa_amd_ipc_memory_detach",
    "hsa_amd_signal_create",
    "hsa_amd_ipc_signal_create",
    "hsa_amd_ipc_signal_attach",
    "hsa_amd_register_system_event_handler",
    "hsa_amd_queue_intercept_create",
    "hsa_amd_queue_intercept_register",
    "hsa_amd_queue_set_priority",
    "hsa_amd_memory_async_copy_rect",
    "hsa_amd_runtime_queue_create_register",
    "hsa_amd_memory_lock_to_pool",
    "hsa_amd_register_deallocation_callback",
    "hsa_amd_deregister_deallocation_callback",
    "hsa_amd_signal_value_pointer",
    "hsa_amd_svm_attributes_set",
    "hsa_amd_svm_attributes_get",
    "hsa_amd_svm_prefetch_async",
    "hsa_amd_spm_acquire",
    "hsa_amd_spm_release",
    "hsa_amd_spm_set_dest_buffer",
    "hsa_amd_queue_cu_get_mask",
    "hsa_amd_portable_export_dmabuf",
    "hsa_amd_portable_close_dmabuf",
    "hsa_amd_vmem_address_reserve",
    "hsa_amd_vmem_address_free",
    "hsa_amd_vmem_handle_create",
    "hsa_amd_vmem_handle_release",
    "hsa_amd_vmem_map",
    "hsa_amd_vmem_unmap",
    "hsa_amd_vmem_set_access",
    "hsa_amd_vmem_get_access",
    "hsa_amd_vmem_export_shareable_handle",
    "hsa_amd_vmem_import_shareable_handle",
    "hsa_amd_vmem_retain_alloc_handle",
    "hsa_amd_vmem_get_alloc_properties_from_handle",
    "hsa_amd_agent_set_async_scratch_limit",
    "hsa_amd_queue_get_info",
    "hsa_amd_vmem_address_reserve_align",
    "hsa_amd_enable_logging",
    "hsa_amd_signal_wait_all",
    "hsa_amd_memory_get_preferred_copy_engine",
    "hsa_amd_portable_export_dmabuf_v2",
};

}  // namespace

std::span<const char* const> hsa_amd_ext_names() noexcept {
  return kNames;
}

}  // namespace multipass_sim
