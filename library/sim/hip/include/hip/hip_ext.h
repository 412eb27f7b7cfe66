// SPDX-License-Identifier: MIT
//
// hipExtLaunchKernelGGL, which hip_runtime.h has as well here.
#pragma once

#include "hip/hip_runtime.h"
