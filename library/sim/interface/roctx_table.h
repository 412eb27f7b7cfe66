/* SPDX-License-Identifier: MIT
 *
 * The three tables that a roctx library hands to the SDK with rocprofiler_set_api_table("roctx", version, 0, tables,
 * 3): core, control, name. Layout as upstream has it (ROCm/rocm-systems, projects/rocprofiler-sdk/source/include/
 * rocprofiler-sdk-roctx/api_trace.h @1b1610fc): a size and one function for each call. The SDK puts its own functions
 * in. Owned by the roctx library, live until the process ends. */
#ifndef MULTIPASS_SIM_ROCTX_TABLE_H
#define MULTIPASS_SIM_ROCTX_TABLE_H

#include <stdint.h>

struct hsa_agent_s;
struct ihipStream_t;

typedef struct multipass_sim_roctx_core {
  uint64_t size;
  void (*mark)(const char* message);
  int (*range_push)(const char* message); /* the level it opens, from 0 */
  int (*range_pop)(void);                 /* the level it closes; -1: none is open */
  uint64_t (*range_start)(const char* message);
  void (*range_stop)(uint64_t id);
  int (*get_thread_id)(uint64_t* tid);
} multipass_sim_roctx_core;

typedef struct multipass_sim_roctx_control {
  uint64_t size;
  int (*profiler_pause)(uint64_t tid);
  int (*profiler_resume)(uint64_t tid);
} multipass_sim_roctx_control;

typedef struct multipass_sim_roctx_name {
  uint64_t size;
  int (*name_os_thread)(const char* name);
  int (*name_hsa_agent)(const char* name, const struct hsa_agent_s* agent);
  int (*name_hip_device)(const char* name, int device);
  int (*name_hip_stream)(const char* name, const struct ihipStream_t* stream);
} multipass_sim_roctx_name;

enum { MULTIPASS_SIM_ROCTX_TABLES = 3 };

#endif
