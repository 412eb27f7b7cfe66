// SPDX-License-Identifier: MIT
#include "base/environment.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace multipass::environment {

std::optional<std::string> get(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> get_own(std::string_view name) {
  return get(std::string(kPrefix).append(name));
}

std::optional<std::string> first_of(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (auto value = get(name); value && !value->empty()) return value;
  return std::nullopt;
}

std::optional<bool> to_bool(std::string_view text) noexcept {
  const auto equals = [text](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  };
  static constexpr std::array<std::string_view, 4> kTrue{"1", "on", "yes", "true"};
  static constexpr std::array<std::string_view, 4> kFalse{"0", "off", "no", "false"};
  if (std::any_of(kTrue.begin(), kTrue.end(), equals)) return true;
  if (std::any_of(kFalse.begin(), kFalse.end(), equals)) return false;
  return std::nullopt;
}

}  // namespace multipass::environment
