// SPDX-License-Identifier: MIT
//
// Text that any reader can decode. Arguments, paths and symbol names are bytes, not text; one that is not UTF-8 makes a
// protobuf message or a database row unreadable for strict readers. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace multipass {

// True for well-formed UTF-8 without NUL (SQLite's text functions stop at one).
[[nodiscard]] bool is_clean_text(std::string_view text) noexcept;

// The text with each byte that is not part of it replaced by U+FFFD.
[[nodiscard]] std::string clean_text(std::string_view text);

}  // namespace multipass
