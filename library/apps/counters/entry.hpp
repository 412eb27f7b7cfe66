// SPDX-License-Identifier: MIT
//
// Between the program rocprofsys-multipass-counters and its module: the program can start where there is no SDK and
// say so; the module needs librocprofiler-sdk.so.1 and is loaded after it.
#pragma once

namespace multipass::apps {

// Of the exit codes that all commands share.
enum CountersExit : int { kCountersOk = 0, kCountersUsage = 2, kCountersLaunchFailed = 5, kCountersOutputFailed = 7 };

inline constexpr const char* kCountersEntry = "multipass_read_counters";

// Prints the index on stdout, messages on stderr. `directory`, unless null: an existing folder for the catalogues.
// Returns the exit code.
using CountersEntry = int (*)(const char* directory);

// Prints what the SDK lets a tool do (probe.hpp), line by line. Messages and exit code as above.
inline constexpr const char* kProbeEntry = "multipass_probe_sdk";
using ProbeEntry = int (*)();

}  // namespace multipass::apps
