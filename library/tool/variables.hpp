// SPDX-License-Identifier: MIT
//
// Variables of our prefix that nothing reads, such as a misspelt one. Where there is a wrapper, it says the same
// (config/asked.py). Threads: the one that initialises the tool. Errors: none but std::bad_alloc.
#pragma once

#include <string>
#include <vector>

namespace multipass::tool {

// A warning for each, with the nearest that is read, in alphabetical order. `environ`: NAME=VALUE, ended by nullptr.
[[nodiscard]] std::vector<std::string> unknown_variables(const char* const* environ);

}  // namespace multipass::tool
