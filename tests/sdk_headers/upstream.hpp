// SPDX-License-Identifier: MIT
//
// The headers of a ROCm installation that declare what library/sdk/abi declares. The only place of the project that
// includes them, and never together with ours: both use the same names.
#pragma once

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#if __has_include(<rocprofiler-sdk/experimental/counters.h>)
#include <rocprofiler-sdk/experimental/counters.h>
#endif
#if __has_include(<rocprofiler-sdk/experimental/kernel_replay.h>)
#include <rocprofiler-sdk/experimental/kernel_replay.h>
#endif
