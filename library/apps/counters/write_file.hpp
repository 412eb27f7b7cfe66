// SPDX-License-Identifier: MIT
//
// A file that is there whole or not at all: written beside its place under another name, then renamed.
// Threads: any, for different paths. Errors: a Status that names the file; then the old file, if any, is untouched.
#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"

namespace multipass::apps {

[[nodiscard]] Status write_file(const std::string& path, std::string_view text);

}  // namespace multipass::apps
