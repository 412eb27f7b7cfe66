// SPDX-License-Identifier: MIT
//
// A file that is there whole or not at all: written beside its place under another name, then renamed. A pipe or a
// device in its place is written to and never replaced. No signal is raised when nobody reads or a limit is reached.
// Threads: any, for different paths. Errors: a Status that names the file and the reason; then the old file, if any, is
// untouched, and no other one is left.
#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"

namespace multipass {

[[nodiscard]] Status write_file(const std::string& path, std::string_view text);

}  // namespace multipass
