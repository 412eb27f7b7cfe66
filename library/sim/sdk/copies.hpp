// SPDX-License-Identifier: MIT
//
// Asynchronous copies as the tools see them: ENTER of MEMORY_COPY on the thread that starts the copy, EXIT with its
// times on the thread of its queue (async_copy.cpp @1b1610fc). While a context owns replay, a copy from or to a GPU
// that a window holds begins when the window is over, ENTER included (the newest form of 1.4.1's line: copy_fence.cpp
// @111ed107); with the fault copies_unfenced it begins at once. Finalisation waits for copies. Any thread.
#pragma once

#include <cstdint>

#include "sim/interface/runtime_table.h"

namespace multipass_sim {

class Sdk;

void begin_copy(Sdk& sdk, const multipass_sim_copy& copy, multipass_sim_copy_start start, void* arg);
void end_copy(Sdk& sdk, void* token, std::uint64_t start_ns, std::uint64_t end_ns);

}  // namespace multipass_sim
