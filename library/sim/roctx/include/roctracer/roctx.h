/* SPDX-License-Identifier: MIT
 *
 * roctx as the older libroctx64.so.4 has it (ROCm/roctracer, inc/roctx.h): the same marks and ranges, no pause and no
 * names. In the simulator both are one library. */
#ifndef MULTIPASS_SIM_ROCTRACER_ROCTX_H
#define MULTIPASS_SIM_ROCTRACER_ROCTX_H

#include "rocprofiler-sdk-roctx/roctx.h"

#undef ROCTX_VERSION_MAJOR
#undef ROCTX_VERSION_MINOR
#define ROCTX_VERSION_MAJOR 4
#define ROCTX_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

MULTIPASS_SIM_ROCTX_API uint32_t roctx_version_major(void); /* 4 */
MULTIPASS_SIM_ROCTX_API uint32_t roctx_version_minor(void); /* 1 */

#ifdef __cplusplus
}
#endif

#endif
