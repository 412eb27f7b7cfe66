// SPDX-License-Identifier: MIT
//
// The name that an output has until it is whole: "<name>.tmp-<pid>" beside its place, so that a rename completes it,
// and so that what a process left that died can be told from what one is writing (docs/life-of-a-dispatch.md). Pure,
// but for the pid; any thread.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

namespace multipass {

inline constexpr std::string_view kTemporaryMark = ".tmp-";  // and the pid behind it

[[nodiscard]] inline std::string temporary_name(const std::string& path) {
  return path + std::string(kTemporaryMark) + std::to_string(::getpid());
}

}  // namespace multipass
