// SPDX-License-Identifier: MIT
//
// Whether a database may take a name: not while another process works on the file that has it. Threads: no state.
#pragma once

#include <filesystem>

#include "base/status.hpp"

namespace multipass::output::rocpd {

// An error where `target` is a directory, where another process has a lock of SQLite's on it, or where a -wal or
// -journal lies beside it: SQLite would take that for a part of the new file, and damage it. What cannot be looked at
// is not refused. Nobody can keep another process from opening the file a moment later; it then has the older one to
// its end.
Status check_target(const std::filesystem::path& target);

}  // namespace multipass::output::rocpd
