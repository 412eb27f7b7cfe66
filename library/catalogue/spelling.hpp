// SPDX-License-Identifier: MIT
//
// "Did you mean": the known name nearest to one that is not known.
// Pure. Threads: any. Errors: none but std::bad_alloc. Cost: known names x length of both names, at most 64 x 64 each.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace multipass::catalogue {

// Edits (insert, delete, replace a letter, swap two neighbours) from one text to the other, case included.
// Any number above `limit` may be returned as limit + 1.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit);

// In this order: the name that differs in case and underscores only; one at most two edits away; the shortest that
// begins with what was asked; one within a third of the length in edits. Case and underscores do not count. Among
// equals: one in the case of what was asked (all capitals, all small, mixed); one in capitals, as counters are mostly
// named; the first in alphabetical order. Nothing when no name is near.
[[nodiscard]] std::optional<std::string> nearest(std::string_view asked, const std::set<std::string>& known);

}  // namespace multipass::catalogue
