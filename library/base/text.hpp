// SPDX-License-Identifier: MIT
//
// Lists for messages and command lines. Threads: pure functions. Errors: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace multipass
