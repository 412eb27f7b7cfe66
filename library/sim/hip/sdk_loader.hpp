// SPDX-License-Identifier: MIT
//
// Loads the stand-in SDK beside this library when a tool is wanted, as the ROCm runtime does through
// rocprofiler-register. Called once, while the runtime starts. Failure: one line on stderr, the program runs
// unprofiled.
#pragma once

#include "sim/interface/runtime_table.h"

namespace multipass_sim {

void load_sdk_if_wanted(multipass_sim_runtime& table) noexcept;

}  // namespace multipass_sim
