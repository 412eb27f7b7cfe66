/* SPDX-License-Identifier: MIT */

/* Tracing of roctx calls: operations and payload of the MARKER_* kinds, at the level of SDK 1.4.1.
 *
 * Names, values and layouts are those of ROCm/rocm-systems, projects/rocprofiler-sdk/source/include/
 * rocprofiler-sdk/marker/api_id.h and callback_tracing.h @1b1610fc, marker/api_args.h of ROCm/rocprofiler-sdk
 * @112c9b49. Unlike other kinds, these count their operations from 0 and have -1 for none; the names that the
 * library gives are those of the functions ("roctxProfilerPause"). pins.h fails the build when one changes.
 *
 * What is delivered (source/lib/rocprofiler-sdk/marker/{marker,range_marker}.cpp @1b1610fc):
 *   MARKER_CORE_API, MARKER_CONTROL_API, MARKER_NAME_API
 *       one ENTER and one EXIT around each call, on its thread; `retval` is set in EXIT.
 *   MARKER_CORE_RANGE_API
 *       roctxMarkA and roctxGetThreadId as above. roctxThreadRangeA is ENTER at roctxRangePushA and EXIT at the
 *       roctxRangePop that ends it, roctxProcessRangeA the same for roctxRangeStartA and roctxRangeStop. What ENTER
 *       writes into user_data is there in EXIT. A pop without a push, and a stop with an unknown id, deliver nothing.
 *       The range of a stop is looked up by id, so EXIT may come on another thread than ENTER; the record keeps the
 *       thread of the start. `message` may dangle in EXIT.
 * Functions are wrapped while the roctx library registers, when some context traces them. */

#ifndef MULTIPASS_SDK_ABI_MARKER_H
#define MULTIPASS_SDK_ABI_MARKER_H

#include <stdint.h>

#include "sdk/abi/enums.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rocprofiler_marker_core_api_id_t ROCPROFILER_ABI_INT {
  ROCPROFILER_MARKER_CORE_API_ID_NONE = -1,
  ROCPROFILER_MARKER_CORE_API_ID_roctxMarkA = 0,
  ROCPROFILER_MARKER_CORE_API_ID_roctxRangePushA = 1,
  ROCPROFILER_MARKER_CORE_API_ID_roctxRangePop = 2,
  ROCPROFILER_MARKER_CORE_API_ID_roctxRangeStartA = 3,
  ROCPROFILER_MARKER_CORE_API_ID_roctxRangeStop = 4,
  ROCPROFILER_MARKER_CORE_API_ID_roctxGetThreadId = 5,
  ROCPROFILER_MARKER_CORE_API_ID_LAST = 6,
} rocprofiler_marker_core_api_id_t;

typedef enum rocprofiler_marker_control_api_id_t ROCPROFILER_ABI_INT {
  ROCPROFILER_MARKER_CONTROL_API_ID_NONE = -1,
  ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerPause = 0,
  ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerResume = 1,
  ROCPROFILER_MARKER_CONTROL_API_ID_LAST = 2,
} rocprofiler_marker_control_api_id_t;

typedef enum rocprofiler_marker_name_api_id_t ROCPROFILER_ABI_INT {
  ROCPROFILER_MARKER_NAME_API_ID_NONE = -1,
  ROCPROFILER_MARKER_NAME_API_ID_roctxNameOsThread = 0,
  ROCPROFILER_MARKER_NAME_API_ID_roctxNameHsaAgent = 1,
  ROCPROFILER_MARKER_NAME_API_ID_roctxNameHipDevice = 2,
  ROCPROFILER_MARKER_NAME_API_ID_roctxNameHipStream = 3,
  ROCPROFILER_MARKER_NAME_API_ID_LAST = 4,
} rocprofiler_marker_name_api_id_t;

typedef enum rocprofiler_marker_core_range_api_id_t ROCPROFILER_ABI_INT {
  ROCPROFILER_MARKER_CORE_RANGE_API_ID_NONE = -1,
  ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA = 0,
  ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA = 1,
  ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA = 2,
  ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxGetThreadId = 3,
  ROCPROFILER_MARKER_CORE_RANGE_API_ID_LAST = 4,
} rocprofiler_marker_core_range_api_id_t;

/* For functions without parameters; an empty struct would have another size in C and in C++. */
typedef struct rocprofiler_marker_api_no_args {
  char empty;
} rocprofiler_marker_api_no_args;

typedef union rocprofiler_marker_api_retval_t {
  int32_t int32_t_retval;
  int64_t int64_t_retval;
  uint64_t roctx_range_id_t_retval;
} rocprofiler_marker_api_retval_t;

/* One member per function. Strings belong to the application and may be NULL in spite of its header. */
typedef union rocprofiler_marker_api_args_t {
  struct {
    const char* message;
  } roctxMarkA;
  struct {
    const char* message;
  } roctxRangePushA;
  struct {
    rocprofiler_marker_api_no_args no_args;
  } roctxRangePop;
  struct {
    const char* message;
  } roctxRangeStartA;
  struct {
    uint64_t id;
  } roctxRangeStop;
  struct {
    uint64_t* tid;
  } roctxGetThreadId;
  struct {
    uint64_t tid; /* 0: all threads of the process */
  } roctxProfilerPause;
  struct {
    uint64_t tid; /* 0: all threads of the process */
  } roctxProfilerResume;
  struct {
    const char* name;
  } roctxNameOsThread;
  struct {
    const char* name;
    const struct hsa_agent_s* agent;
  } roctxNameHsaAgent;
  struct {
    const char* name;
    int device_id;
  } roctxNameHipDevice;
  struct {
    const char* name;
    const struct ihipStream_t* stream;
  } roctxNameHipStream;
  struct {
    const char* message;
  } roctxThreadRangeA;
  struct {
    const char* message;
  } roctxProcessRangeA;
} rocprofiler_marker_api_args_t;

/* Payload of all MARKER_* kinds. */
typedef struct rocprofiler_callback_tracing_marker_api_data_t {
  uint64_t size;
  rocprofiler_marker_api_args_t args;
  rocprofiler_marker_api_retval_t retval;
} rocprofiler_callback_tracing_marker_api_data_t;

#ifdef __cplusplus
}
#endif

#endif
