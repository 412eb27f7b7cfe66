// SPDX-License-Identifier: MIT
//
// Starts the recording of the SDK's calls (sdk/recording.hpp) where ROCPROFSYS_MULTIPASS_RECORD names a file. Once,
// before anything is asked of the SDK, on the thread that initialises the tool.
#pragma once

#include "base/status.hpp"
#include "model/run.hpp"

namespace multipass::tool {

// An error: the file cannot be made; the program is profiled all the same.
[[nodiscard]] Status start_recording(const RunConfig& config);

}  // namespace multipass::tool
