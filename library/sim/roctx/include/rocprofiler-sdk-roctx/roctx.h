/* SPDX-License-Identifier: MIT
 *
 * roctx of the simulator: marks and ranges in a program, for tools that profile it. The functions of
 * librocprofiler-sdk-roctx.so.1 (ROCm/rocm-systems, projects/rocprofiler-sdk,
 * source/include/rocprofiler-sdk-roctx/roctx.h
 * @1b1610fc). C and C++; any thread. Without a tool they do next to nothing. */
#ifndef MULTIPASS_SIM_ROCTX_H
#define MULTIPASS_SIM_ROCTX_H

#include <stddef.h>
#include <stdint.h>

#include "rocprofiler-sdk-roctx/types.h"
#include "rocprofiler-sdk-roctx/version.h"

#define MULTIPASS_SIM_ROCTX_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

struct hsa_agent_s;
struct ihipStream_t;

MULTIPASS_SIM_ROCTX_API void roctxMarkA(const char* message);

/* Ranges of a thread, one inside the other. Push gives the level that it opens, from 0; pop the level that it closes,
 * or a negative number when none is open. */
MULTIPASS_SIM_ROCTX_API int roctxRangePushA(const char* message);
MULTIPASS_SIM_ROCTX_API int roctxRangePop(void);

/* Ranges of the process: any thread may end one. */
MULTIPASS_SIM_ROCTX_API roctx_range_id_t roctxRangeStartA(const char* message);
MULTIPASS_SIM_ROCTX_API void roctxRangeStop(roctx_range_id_t id);

/* Ask a tool to collect nothing, or to go on; 0: on all threads, else on the thread of that id. Return 0. */
MULTIPASS_SIM_ROCTX_API int roctxProfilerPause(roctx_thread_id_t tid);
MULTIPASS_SIM_ROCTX_API int roctxProfilerResume(roctx_thread_id_t tid);

/* The id of the calling thread, as a tool sees it. */
MULTIPASS_SIM_ROCTX_API int roctxGetThreadId(roctx_thread_id_t* tid);

/* Names for a tool to show. */
MULTIPASS_SIM_ROCTX_API int roctxNameOsThread(const char* name);
MULTIPASS_SIM_ROCTX_API int roctxNameHsaAgent(const char* name, const struct hsa_agent_s* agent);
MULTIPASS_SIM_ROCTX_API int roctxNameHipDevice(const char* name, int device_id);
MULTIPASS_SIM_ROCTX_API int roctxNameHipStream(const char* name, const struct ihipStream_t* stream);

#ifdef __cplusplus
}
#endif

#ifndef roctxMark
#define roctxMark(message) roctxMarkA(message)
#endif
#ifndef roctxRangePush
#define roctxRangePush(message) roctxRangePushA(message)
#endif
#ifndef roctxRangeStart
#define roctxRangeStart(message) roctxRangeStartA(message)
#endif

#endif
