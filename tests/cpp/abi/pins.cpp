/* SPDX-License-Identifier: MIT */

/* Compiling this file as C++20 is the test. */

#include "sdk/abi/pins.h"
#include "sdk/abi/rocprofiler.h"
