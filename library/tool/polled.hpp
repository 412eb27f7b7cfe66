// SPDX-License-Identifier: MIT
//
// The counters that rocprof-sys polls (ROCPROFSYS_GPU_PERF_COUNTERS): read now and then of a whole GPU, whatever runs
// there. They are never divided into passes: one configuration of a GPU holds all of them, or rocprof-sys polls none
// there. What is wrong with the list is told here, for rocprof-sys passes over unknown names without a word.
// Threads: while the tool initialises, on that thread. Errors: none but std::bad_alloc; what is found is text.
#pragma once

#include <string>
#include <vector>

#include "events/parse.hpp"
#include "tool/wanted.hpp"

namespace multipass::tool {

// What rocprof-sys reads in such a list: NAME or NAME:device=N, with commas or semicolons between them. Names are
// compared as they stand, so that NAME[i] is none. The tokens that it cannot use are in `problems`.
[[nodiscard]] events::ParsedEvents parse_polled(const std::string& list);

// A warning for each fault of the list: what no GPU has, and what does not fit the GPU that it is for, with the blocks
// that lack registers. Asks the SDK for the slots of GPUs that have none yet, and for configurations, which are not
// kept.
[[nodiscard]] std::vector<std::string> check_polled(const std::string& list, const std::vector<Gpu>& gpus,
                                                    const std::vector<PreparedAgent>& agents);

// What is said once where counters are polled while those of launches are collected.
[[nodiscard]] std::string interference_text(bool replays);

}  // namespace multipass::tool
