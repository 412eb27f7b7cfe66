// SPDX-License-Identifier: MIT
#include "events/sentinel_list.hpp"

#include <algorithm>
#include <optional>

namespace multipass::events {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kSeparators = " \t\r\n,;";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// "auto" or "none" in letters of any size.
bool is_word(std::string_view token) {
  std::string small{token};
  std::transform(small.begin(), small.end(), small.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return small == "auto" || small == "none";
}

// The first token that is_word(); empty text when there is none, nothing when there is no token at all.
std::optional<std::string_view> find_word(std::string_view text) {
  bool any = false;
  for (std::size_t at = text.find_first_not_of(kSeparators); at != std::string_view::npos;
       at = text.find_first_not_of(kSeparators, at)) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    if (is_word(text.substr(at, end - at))) return text.substr(at, end - at);
    any = true;
    at = end;
  }
  return any ? std::optional<std::string_view>{std::string_view{}} : std::nullopt;
}

}  // namespace

SentinelList parse_sentinels(std::string_view text) {
  const std::string_view whole = trimmed(text);
  if (whole == "none") return {};
  if (whole == "auto") return {true, {}};
  const std::optional<std::string_view> word = find_word(text);
  if (!word) return {false, {}, "it is empty: give auto, none or counters"};
  if (!word->empty())
    return {
        false, {}, "'" + std::string{*word} + "' stands alone, in small letters; beside counters it has no meaning"};
  return {false, parse(text)};
}

}  // namespace multipass::events
