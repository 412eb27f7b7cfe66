// SPDX-License-Identifier: MIT
//
// Where the files of this process go. Pure but for reading the environment and, in make_directories, the file system.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"

namespace multipass::tool {

// Replaces %pid% %ppid% %rank% %hostname% %env{NAME}%. An unknown %word% or %word{argument}% stays as it is and is
// named in `unknown`; any other percent sign is one. %rank% without a launcher is 0. A '/' inside a value becomes '_'.
[[nodiscard]] std::string expand_tokens(const std::string& path, std::vector<std::string>& unknown);

// Creates the folder with its parents. The message names the part that could not be made, and why.
[[nodiscard]] Status make_directories(const std::string& path);

// The middle part of every file name: "rank<r>" under a launcher, else the process id. `attempt` 0 is the usual name,
// later ones tell apart what would have the same name.
[[nodiscard]] std::string file_id(unsigned attempt);

}  // namespace multipass::tool
