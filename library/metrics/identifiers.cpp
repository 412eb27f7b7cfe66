// SPDX-License-Identifier: MIT
#include "metrics/identifiers.hpp"

#include <algorithm>

namespace multipass::metrics {
namespace {

// ASCII only, whatever the locale of the profiled program.
constexpr bool is_capital(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_word(char c) noexcept {
  return is_capital(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::vector<std::string> counters_in(std::string_view formula) {
  std::vector<std::string> names;
  for (auto at = formula.begin(); at != formula.end();) {
    const auto begin = std::find_if(at, formula.end(), is_word);
    at = std::find_if_not(begin, formula.end(), is_word);
    if (begin != at && is_capital(*begin)) names.emplace_back(begin, at);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace multipass::metrics
