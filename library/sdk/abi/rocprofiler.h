/* SPDX-License-Identifier: MIT */

/* Our own declarations of the part of the rocprofiler-sdk C ABI that this project uses, pinned at SDK
 * 1.4.1, so that no ROCm installation is needed to build. Valid C11 and C++20.
 *
 * Names, values and layouts are facts of ROCm/rocm-systems, projects/rocprofiler-sdk; each header names
 * its source. Do not include it together with upstream's headers: both define the same names. The pins
 * (pins.h) hold for x86-64 System V. */

#ifndef MULTIPASS_SDK_ABI_ROCPROFILER_H
#define MULTIPASS_SDK_ABI_ROCPROFILER_H

#include "sdk/abi/agent.h"
#include "sdk/abi/enums.h"
#include "sdk/abi/functions.h"
#include "sdk/abi/marker.h"
#include "sdk/abi/memory.h"
#include "sdk/abi/records.h"
#include "sdk/abi/types.h"

#endif
