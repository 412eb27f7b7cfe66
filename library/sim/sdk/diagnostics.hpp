// SPDX-License-Identifier: MIT
//
// What the stand-in says on stderr: one line each, prefixed with its name. Any thread; never throws.
#pragma once

#include <string_view>

namespace multipass_sim {

void warn(std::string_view text) noexcept;

// Where the real library ends the process (an unknown configuration handle, a pass that hangs), so does this one.
[[noreturn]] void fatal(std::string_view text) noexcept;

}  // namespace multipass_sim
