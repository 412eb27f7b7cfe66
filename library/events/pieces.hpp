// SPDX-License-Identifier: MIT
//
// First stage of the events grammar: a list cut at its separators, with the pieces of a qualifier that was written with
// spaces (`X : device = 0`) put together again, so that one mistake gives one message.
// Pure. Threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace multipass::events {

inline constexpr std::string_view kQualifier = ":device=";

struct Piece {
  std::string text;        // without the separators; the blanks of a joined piece are left out too
  std::string as_written;  // the stretch of the list it came from
  std::size_t offset = 0;  // 0-based byte offset in the list
  bool joined = false;     // blanks were removed
};

[[nodiscard]] std::vector<Piece> pieces_of(std::string_view list);

[[nodiscard]] bool is_digit(char c) noexcept;
[[nodiscard]] bool all_digits(std::string_view text) noexcept;  // true for the empty text
// Equality without regard to the case of ASCII letters.
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept;

}  // namespace multipass::events
