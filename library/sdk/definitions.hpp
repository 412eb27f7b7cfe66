// SPDX-License-Identifier: MIT
//
// Derived counters that the SDK does not list by itself and counts once it is told their expressions.
// Threads: called while the tool initialises, on that one thread.
#pragma once

#include <string>

#include "base/status.hpp"

namespace multipass::sdk {

// Has the SDK read this text behind its own definitions when it first lists counters. The text is what its definition
// files are: `rocprofiler-sdk: counters: [{name, description, definitions: [{architectures, expression}]}]`.
//
// To be called before the first query of a counter: an error when some tool of the process has made one. SDK 1.0.0
// keeps one text: this one takes the place of another tool's that has not been read yet, which cannot be seen from
// here. The SDK does not look at the text now, and what is wrong with it ends the process later (ROCm/rocm-systems
// projects/rocprofiler-sdk, counters/metrics.cpp and evaluate_ast.cpp @1b1610fc: an exception through C). So it must
// be YAML, and no expression may name a counter that an architecture of it does not have.
[[nodiscard]] Status append_definitions(const std::string& yaml);

}  // namespace multipass::sdk
