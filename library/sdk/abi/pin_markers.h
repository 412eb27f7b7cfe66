/* SPDX-License-Identifier: MIT */

/* Pins of marker.h: values of its enumerators, sizes and places of its members. Sources as there. */

#ifndef MULTIPASS_SDK_ABI_PIN_MARKERS_H
#define MULTIPASS_SDK_ABI_PIN_MARKERS_H

#include "sdk/abi/marker.h"
#include "sdk/abi/pin.h"

MULTIPASS_PIN_SIZE(rocprofiler_marker_core_api_id_t, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_API_ID_NONE, -1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_API_ID_roctxMarkA, 0);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_API_ID_roctxRangePushA, 1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_API_ID_roctxRangePop, 2);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_API_ID_roctxRangeStartA, 3);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_API_ID_roctxRangeStop, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_API_ID_roctxGetThreadId, 5);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_API_ID_LAST, 6);

MULTIPASS_PIN_SIZE(rocprofiler_marker_control_api_id_t, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CONTROL_API_ID_NONE, -1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerPause, 0);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerResume, 1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CONTROL_API_ID_LAST, 2);

MULTIPASS_PIN_SIZE(rocprofiler_marker_name_api_id_t, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_NAME_API_ID_NONE, -1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_NAME_API_ID_roctxNameOsThread, 0);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_NAME_API_ID_roctxNameHsaAgent, 1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_NAME_API_ID_roctxNameHipDevice, 2);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_NAME_API_ID_roctxNameHipStream, 3);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_NAME_API_ID_LAST, 4);

MULTIPASS_PIN_SIZE(rocprofiler_marker_core_range_api_id_t, 4);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_RANGE_API_ID_NONE, -1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA, 0);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA, 1);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA, 2);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxGetThreadId, 3);
MULTIPASS_PIN_VALUE(ROCPROFILER_MARKER_CORE_RANGE_API_ID_LAST, 4);

MULTIPASS_PIN_SIZE(rocprofiler_marker_api_no_args, 1);
MULTIPASS_PIN_SIZE(rocprofiler_marker_api_retval_t, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_retval_t, int32_t_retval, 0, 4);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_retval_t, int64_t_retval, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_retval_t, roctx_range_id_t_retval, 0, 8);

MULTIPASS_PIN_SIZE(rocprofiler_marker_api_args_t, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxMarkA, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxRangePushA, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxRangePop, 0, 1);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxRangeStartA, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxRangeStop, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxGetThreadId, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxProfilerPause, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxProfilerResume, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxNameOsThread, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxNameHsaAgent, 0, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxNameHipDevice, 0, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxNameHipStream, 0, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxThreadRangeA, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_marker_api_args_t, roctxProcessRangeA, 0, 8);

MULTIPASS_PIN_SIZE(rocprofiler_callback_tracing_marker_api_data_t, 32);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_marker_api_data_t, size, 0, 8);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_marker_api_data_t, args, 8, 16);
MULTIPASS_PIN_MEMBER(rocprofiler_callback_tracing_marker_api_data_t, retval, 24, 8);

#endif
