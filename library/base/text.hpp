// SPDX-License-Identifier: MIT
//
// Lists and counts for messages and command lines. Threads: pure functions. Errors: none but std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace multipass {

// The texts one behind the other, with `separator` between them.
template <class Texts>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view separator = ", ") {
  std::string list;
  bool first = true;
  for (const std::string& text : texts) {
    if (!first) list += separator;
    list += text;
    first = false;
  }
  return list;
}

// The first `most` of the texts, and how many more there are: "A, B and 7 more".
[[nodiscard]] inline std::string joined_up_to(const std::vector<std::string>& texts, std::size_t most) {
  const std::size_t shown = std::min(texts.size(), most);
  std::string list = joined(std::vector(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(shown)));
  if (shown < texts.size()) list += " and " + std::to_string(texts.size() - shown) + " more";
  return list;
}

// "1 launch", "2 launches"
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

}  // namespace multipass
