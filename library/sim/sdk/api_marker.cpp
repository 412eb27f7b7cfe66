// SPDX-License-Identifier: MIT
//
// How a tool can tell this library from the real one, which has no such symbol: outputs must say that they are
// simulated.
#include "sdk/abi/rocprofiler.h"

// NOLINTBEGIN(readability-identifier-naming): in the style of the ABI
extern "C" ROCPROFILER_ABI const int rocprofiler_multipass_simulated;
const int rocprofiler_multipass_simulated = 1;
// NOLINTEND(readability-identifier-naming)
