/* SPDX-License-Identifier: MIT */

/* The agent struct of the rocprofiler-sdk C ABI, at the level of SDK 1.4.1 (unchanged since 1.0.0).
 *
 * Names and layout are those of ROCm/rocm-systems, projects/rocprofiler-sdk:
 * source/include/rocprofiler-sdk/agent.h @1b1610fc. pins.h fails the build when the layout changes. */

#ifndef MULTIPASS_SDK_ABI_AGENT_H
#define MULTIPASS_SDK_ABI_AGENT_H

#include <stdint.h>

#include "sdk/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Words of the kernel driver's topology; their bits are of no use here. */
typedef union {
  uint32_t Value;
} HSA_CAPABILITY;

typedef union {
  uint32_t Value;
} HSA_ENGINE_VERSION;

typedef union {
  uint32_t Value;
} HSA_ENGINE_ID;

/* Element behind `mem_banks`. What the driver does not tell of a bank stays unset in 1.0.0, which leaves new memory as
 * it is (agent.cpp @1b1610fc): a number here may be any. */
typedef struct rocprofiler_agent_mem_bank_t {
  uint32_t heap_type;
  uint32_t flags;
  uint32_t width;       /* bits */
  uint32_t mem_clk_max; /* MHz */
  uint64_t size_in_bytes;
} rocprofiler_agent_mem_bank_t;

/* Elements behind the agent's other pointers (40 and 48 bytes), left untyped: never index them. */
typedef struct rocprofiler_agent_cache_t rocprofiler_agent_cache_t;
typedef struct rocprofiler_agent_io_link_t rocprofiler_agent_io_link_t;

/* Which runtimes can see the agent. The spelling is upstream's. */
typedef struct rocprofiler_agent_runtime_visiblity_t {
  uint32_t hsa : 1;
  uint32_t hip : 1;
  uint32_t rccl : 1;
  uint32_t rocdecode : 1;
} rocprofiler_agent_runtime_visiblity_t;

/* For a GPU `name` is the architecture ("gfx942") and `product_name` the marketing name. */
typedef struct rocprofiler_agent_v0_t {
  uint64_t size;
  rocprofiler_agent_id_t id;
  rocprofiler_agent_type_t type;
  uint32_t cpu_cores_count;
  uint32_t simd_count;
  uint32_t mem_banks_count;
  uint32_t caches_count;
  uint32_t io_links_count;
  uint32_t cpu_core_id_base;
  uint32_t simd_id_base;
  uint32_t max_waves_per_simd;
  uint32_t lds_size_in_kb;
  uint32_t gds_size_in_kb;
  uint32_t num_gws;
  uint32_t wave_front_size;
  uint32_t num_xcc;
  uint32_t cu_count;
  uint32_t array_count;
  uint32_t num_shader_banks;
  uint32_t simd_arrays_per_engine;
  uint32_t cu_per_simd_array;
  uint32_t simd_per_cu;
  uint32_t max_slots_scratch_cu;
  uint32_t gfx_target_version;
  uint16_t vendor_id;
  uint16_t device_id;
  uint32_t location_id;
  uint32_t domain;
  uint32_t drm_render_minor;
  uint32_t num_sdma_engines;
  uint32_t num_sdma_xgmi_engines;
  uint32_t num_sdma_queues_per_engine;
  uint32_t num_cp_queues;
  uint32_t max_engine_clk_ccompute;
  uint32_t max_engine_clk_fcompute;
  HSA_ENGINE_VERSION sdma_fw_version;
  HSA_ENGINE_ID fw_version;
  HSA_CAPABILITY capability;
  uint32_t cu_per_engine;
  uint32_t max_waves_per_cu;
  uint32_t family_id;
  uint32_t workgroup_max_size;
  uint32_t grid_max_size;
  uint64_t local_mem_size;
  uint64_t hive_id;
  uint64_t gpu_id;
  rocprofiler_dim3_t workgroup_max_dim;
  rocprofiler_dim3_t grid_max_dim;
  const rocprofiler_agent_mem_bank_t* mem_banks;
  const rocprofiler_agent_cache_t* caches;
  const rocprofiler_agent_io_link_t* io_links;
  const char* name;
  const char* vendor_name;
  const char* product_name;
  const char* model_name;
  uint32_t node_id;
  int32_t logical_node_id;
  int32_t logical_node_type_id;
  rocprofiler_agent_runtime_visiblity_t runtime_visibility;
  rocprofiler_uuid_t uuid;
} rocprofiler_agent_v0_t;

#ifdef __cplusplus
}
#endif

#endif
