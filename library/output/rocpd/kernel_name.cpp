// SPDX-License-Identifier: MIT
#include "output/rocpd/kernel_name.hpp"

#include <cstddef>

namespace multipass::output::rocpd {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

std::string_view without_endings(std::string_view name) noexcept {
  if (const std::size_t clone = name.find(" [clone "); clone != std::string_view::npos) name = name.substr(0, clone);
  if (name.ends_with(".kd")) name.remove_suffix(3);
  return name;
}

}  // namespace

std::string truncated_kernel_name(std::string_view demangled) {
  const std::string_view name = without_endings(demangled);
  // Angle brackets and parentheses mean something else in these.
  if (name.find("operator") != std::string_view::npos || name.find("lambda") != std::string_view::npos)
    return std::string(name);

  std::size_t start = 0;                      // of the last name at depth 0
  std::size_t stop = std::string_view::npos;  // its end, where a template list or the parameters begin
  std::size_t depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '<') {
      if (depth++ == 0) stop = at;
    } else if (c == '>') {
      if (depth == 0) return std::string(name);
      --depth;
    } else if (depth == 0 && name.substr(at).starts_with(kAnonymous)) {
      at += kAnonymous.size() - 1;
    } else if (depth == 0 && c == '(') {
      if (stop == std::string_view::npos) stop = at;
      break;
    } else if (depth == 0 && (c == ' ' || c == ':')) {
      start = at + 1;
      stop = std::string_view::npos;
    }
  }
  if (stop == std::string_view::npos) stop = name.size();
  return std::string(depth != 0 || stop <= start ? name : name.substr(start, stop - start));
}

}  // namespace multipass::output::rocpd
