// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace multipass {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::uint32_t byte_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<unsigned char>(text[at]);
}

// Bytes that a sequence with this first byte has; 0 when none can start so.
std::size_t sequence_length(std::uint32_t first) noexcept {
  if (first >= 0x01 && first <= 0x7F) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// The second byte's range depends on the first (RFC 3629): no overlong forms, no surrogates, nothing over U+10FFFF.
bool second_byte_fits(std::uint32_t first, std::uint32_t second) noexcept {
  switch (first) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return second >= 0x80 && second <= 0xBF;
  }
}

// Length of the well-formed sequence at `at`, 0 when there is none.
std::size_t valid_length(std::string_view text, std::size_t at) noexcept {
  const std::uint32_t first = byte_at(text, at);
  const std::size_t length = sequence_length(first);
  if (length <= 1) return length;
  if (at + length > text.size() || !second_byte_fits(first, byte_at(text, at + 1))) return 0;
  for (std::size_t next = at + 2; next < at + length; ++next)
    if ((byte_at(text, next) & 0xC0U) != 0x80U) return 0;
  return length;
}

}  // namespace

bool is_clean_text(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = valid_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string clean_text(std::string_view text) {
  std::string result;
  result.reserve(text.size() + kReplacement.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = valid_length(text, at);
    result.append(length == 0 ? kReplacement : text.substr(at, length));
    at += length == 0 ? 1 : length;
  }
  return result;
}

}  // namespace multipass
