// SPDX-License-Identifier: MIT
#include "events/token.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace multipass::events {
namespace {

constexpr std::string_view kUnmarked = "device=";  // a qualifier whose colon was left out or is a token before it

std::uint32_t column_of(const Piece& piece) noexcept {
  constexpr auto kMax = std::numeric_limits<std::uint32_t>::max();
  return piece.offset >= kMax ? kMax : static_cast<std::uint32_t>(piece.offset) + 1;
}

Problem about(const Piece& piece, std::string message, std::string hint) {
  return {piece.as_written, column_of(piece), std::move(message), std::move(hint)};
}

// NAME or NAME:device=N with nothing that would be rejected again.
bool is_well_formed(std::string_view token) noexcept {
  const std::size_t qualifier = token.find(kQualifier);
  const std::string_view name = token.substr(0, qualifier);
  if (name.empty() || name.find_first_of(":[]*?\"' ") != std::string_view::npos) return false;
  if (qualifier == std::string_view::npos) return true;
  const std::string_view digits = token.substr(qualifier + kQualifier.size());
  return !digits.empty() && all_digits(digits);
}

// A hint takes the place of the token, so one that is no token itself is not given.
Token rejected(const Piece& piece, std::string message, std::string hint) {
  if (!is_well_formed(hint) || hint == piece.as_written) hint.clear();
  return {std::nullopt, about(piece, std::move(message), std::move(hint)), std::nullopt};
}

// The name as it would be without brackets and quotes: for hints only.
std::string bare_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, text.find_first_of("[]")))
    if (c != '"' && c != '\'') name += c;
  return name;
}

std::string leading_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return std::string{text.substr(0, count)};
}

// The qualifier that was probably meant. Without a digit it is no token, hence no hint.
std::string hinted_qualifier(std::string_view value) {
  return std::string{kQualifier} + leading_digits(value);
}

// "X:dev=1", "X:Device1", "X:1": a qualifier in other words. "X:x=1" is none.
bool means_device(std::string_view key) noexcept {
  constexpr std::string_view kKey = "device";
  return equal_ignoring_case(key, kKey.substr(0, key.size()));
}

Token quoted(const Piece& piece) {
  std::string unquoted;
  for (const char c : piece.text)
    if (c != '"' && c != '\'') unquoted += c;
  return rejected(piece, "quotes are part of the token here, no counter has them in its name: leave them out",
                  std::move(unquoted));
}

// "rocm:::X:device=0" is how PAPI names a counter.
Token papi_style(const Piece& piece, std::size_t colons) {
  return rejected(piece, "a component prefix such as PAPI's 'rocm:::' is not used here", piece.text.substr(colons + 3));
}

Token lone_qualifier(const Piece& piece, const std::string& previous) {
  const std::size_t equals = piece.text.find('=');
  const std::string value = equals == std::string::npos ? std::string{} : piece.text.substr(equals + 1);
  return rejected(piece,
                  "a qualifier without a counter name: a space ends a token, so it is not part of the name before it",
                  previous + hinted_qualifier(value));
}

Token spaced_qualifier(const Piece& piece) {
  return rejected(piece, "spaces inside a token: a space ends a token", piece.text);
}

// What follows a ':' that does not begin ":device=".
Token other_qualifier(const Piece& piece, std::size_t colon) {
  const std::string name = bare_name(std::string_view{piece.text}.substr(0, colon));
  const std::string_view rest = std::string_view{piece.text}.substr(colon);
  const std::string_view key = rest.substr(1, rest.find_first_of("=0123456789", 1) - 1);
  const std::string_view value = rest.substr(std::min(rest.size(), 1 + key.size()));
  const std::string hint = name + hinted_qualifier(value.substr(value.starts_with('=') ? 1 : 0));
  if (value.starts_with('=') && equal_ignoring_case(rest.substr(0, key.size() + 2), kQualifier))
    return rejected(piece, "the qualifier is written ':device=' in lower case", hint);
  return rejected(piece, "the only qualifier is ':device=N'", rest == ":" ? name : means_device(key) ? hint : "");
}

Token bad_device(const Piece& piece, std::string_view name, std::string_view value) {
  std::string hint = std::string{name} + hinted_qualifier(value);
  if (value.find('[') != std::string_view::npos && name.find('[') == std::string_view::npos)
    return rejected(piece, "an instance index stands before ':device=', and is not needed: all instances are collected",
                    std::move(hint));
  return rejected(piece, "after ':device=' there must be a number and nothing else", std::move(hint));
}

// Removes one "[digits]" from the end of `name`. False when the brackets are anything else.
bool strip_instance(std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos) return name.find(']') == std::string::npos;
  const std::string_view inside = std::string_view{name}.substr(open + 1);
  if (name.find(']') < open) return false;
  if (open == 0 || inside.size() < 2 || inside.back() != ']' || !all_digits(inside.substr(0, inside.size() - 1)))
    return false;
  name.resize(open);
  return true;
}

// Digits to an ordinal; nothing when the type does not hold it.
std::optional<std::uint32_t> ordinal_of(std::string_view digits) noexcept {
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return value;
}

Token request_of(const Piece& piece, std::string name, std::optional<std::string_view> digits) {
  const std::size_t written = name.size();
  if (!strip_instance(name))
    return rejected(piece, "only one '[number]' may follow a name, at its end", bare_name(name));
  if (name.find_first_of("*?") != std::string::npos)
    return rejected(piece, "there are no wildcards in an events list: name each counter in full", "");
  Token token;
  token.request = CounterRequest{name, std::nullopt, column_of(piece)};
  if (name.size() != written)
    token.note = about(piece, "no single instance can be chosen: all instances of the counter are collected", name);
  if (digits) {
    token.request->device = ordinal_of(*digits);
    if (!token.request->device) return rejected(piece, "no GPU has a device number as large as that", "");
  }
  return token;
}

}  // namespace

Token token_of(const Piece& piece, const std::string& previous) {
  const std::string_view text = piece.text;
  if (text.find_first_of("\"'") != std::string_view::npos) return quoted(piece);
  if (const std::size_t colons = text.find(":::"); colons != std::string_view::npos) return papi_style(piece, colons);
  if (text.front() == ':' || equal_ignoring_case(text.substr(0, kUnmarked.size()), kUnmarked))
    return lone_qualifier(piece, previous);
  if (piece.joined) return spaced_qualifier(piece);
  const std::size_t qualifier = text.find(kQualifier);
  const std::size_t colon = text.find(':');
  if (colon != qualifier) return other_qualifier(piece, colon);
  if (qualifier == std::string_view::npos) return request_of(piece, piece.text, std::nullopt);
  const std::string_view name = text.substr(0, qualifier);
  const std::string_view value = text.substr(qualifier + kQualifier.size());
  if (value.empty() || !all_digits(value)) return bad_device(piece, name, value);
  return request_of(piece, std::string{name}, value);
}

}  // namespace multipass::events
