// SPDX-License-Identifier: MIT
//
// Runs rocprofsys-multipass-export on a journal when no wrapper will. The exporter is a process of its own, so that
// neither SQLite nor the trace encoder is ever in the profiled one.
#pragma once

#include <chrono>
#include <string>

#include "base/status.hpp"
#include "model/run.hpp"

namespace multipass::tool {

// Starts ../bin/rocprofsys-multipass-export beside this plugin and waits, `timeout` at most; after that it goes on
// alone. Its environment has no preloads and no tool libraries; its stdout is discarded. An error leaves the journal,
// from which the outputs can be made later.
[[nodiscard]] Status spawn_exporter(const std::string& journal, const RunConfig& config, std::chrono::seconds timeout);

}  // namespace multipass::tool
