// SPDX-License-Identifier: MIT
//
// Calls of HIP and HSA as the tools see them: ENTER and EXIT of HIP_RUNTIME_API or HSA_AMD_EXT_API, and within those,
// for the HSA calls that allocate memory or give it back, ENTER and EXIT of MEMORY_ALLOCATION. As upstream nests them
// (registration.cpp @1b1610fc: the wrapper of MEMORY_ALLOCATION is put in first). On the calling thread; tools are
// called with no lock held.
//
// A list of operations that a tool gives for MEMORY_ALLOCATION is searched for the number of the HSA function there
// (memory_allocation.cpp @1b1610fc), so that nothing comes for a list of the operations themselves. Here it is the
// same.
#pragma once

#include <cstdint>

#include "sim/interface/runtime_table.h"

namespace multipass_sim {

class Sdk;

// What `body` gave.
std::uint64_t told_call(Sdk& sdk, const multipass_sim_call& call, multipass_sim_call_body body, void* arg);

}  // namespace multipass_sim
