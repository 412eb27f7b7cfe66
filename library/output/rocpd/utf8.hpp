// SPDX-License-Identifier: MIT
//
// Text that any reader can decode. Arguments and symbol names are bytes; SQLite stores them as they are, and a reader
// such as Python's sqlite3 then refuses the whole row. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace multipass::output::rocpd {

// True for well-formed UTF-8 without NUL (SQLite's text functions stop at one).
[[nodiscard]] bool is_storable(std::string_view text) noexcept;

// The text with each byte that makes it unstorable replaced by U+FFFD.
[[nodiscard]] std::string make_storable(std::string_view text);

}  // namespace multipass::output::rocpd
