// SPDX-License-Identifier: MIT
//
// What a program was started for, on stdout. Threads: one.
#pragma once

#include <string_view>

namespace multipass {

// All of it, and flushed. False when it could not be written, which is then said on stderr.
[[nodiscard]] bool print(std::string_view text) noexcept;

}  // namespace multipass
