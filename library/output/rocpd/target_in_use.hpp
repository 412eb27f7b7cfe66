// SPDX-License-Identifier: MIT
//
// Whether a database may take a name: not while another process works on the file that has it. Threads: no state.
#pragma once

#include <filesystem>
#include <optional>

#include "base/status.hpp"

namespace multipass::output::rocpd {

// The -wal or -journal with something in it beside a database, of a program that writes it or died while it did.
[[nodiscard]] std::optional<std::filesystem::path> journal_beside(const std::filesystem::path& database);

// An error where `target` is a directory, where another process has a lock of SQLite's on it, or where a -wal or
// -journal lies beside it: SQLite would take that for a part of the new file, and damage it. What cannot be looked at
// is not refused. Nobody can keep another process from opening the file a moment later; it then has the older one to
// its end.
Status check_target(const std::filesystem::path& target);

}  // namespace multipass::output::rocpd
