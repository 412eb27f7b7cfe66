// SPDX-License-Identifier: MIT
#include "events/pieces.hpp"

#include <algorithm>

namespace multipass::events {
namespace {

constexpr std::string_view kSeparators = " ,;\t\n";
constexpr std::string_view kBlanks = " \t\n";

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// True for what may stand before a blank inside a qualifier: ":", ":device", ":device=" (any case).
bool is_open_qualifier(std::string_view text) noexcept {
  return text == ":" || equal_ignoring_case(text, kQualifier.substr(0, kQualifier.size() - 1)) ||
         equal_ignoring_case(text, kQualifier);
}

// True when `text` is an open qualifier or a whole one.
bool is_qualifier_so_far(std::string_view text) noexcept {
  if (is_open_qualifier(text)) return true;
  return text.size() > kQualifier.size() && equal_ignoring_case(text.substr(0, kQualifier.size()), kQualifier) &&
         all_digits(text.substr(kQualifier.size()));
}

std::vector<Piece> cut(std::string_view list) {
  std::vector<Piece> pieces;
  std::size_t begin = list.find_first_not_of(kSeparators);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(list.find_first_of(kSeparators, begin), list.size());
    const std::string text{list.substr(begin, end - begin)};
    pieces.push_back({text, text, begin, false});
    begin = list.find_first_not_of(kSeparators, end);
  }
  return pieces;
}

bool only_blanks_between(std::string_view list, std::size_t begin, std::size_t end) noexcept {
  return list.substr(begin, end - begin).find_first_not_of(kBlanks) == std::string_view::npos;
}

// Appends `next` to `piece` when both are parts of one qualifier.
bool join(std::string_view list, Piece& piece, const Piece& next) {
  const std::size_t colon = piece.text.find(':');
  if (colon == std::string::npos || !is_open_qualifier(std::string_view{piece.text}.substr(colon))) return false;
  const std::size_t end = piece.offset + piece.as_written.size();
  if (!only_blanks_between(list, end, next.offset)) return false;
  std::string joined = piece.text + next.text;
  if (!is_qualifier_so_far(std::string_view{joined}.substr(colon))) return false;
  piece.text = std::move(joined);
  piece.as_written = std::string{list.substr(piece.offset, next.offset + next.text.size() - piece.offset)};
  piece.joined = true;
  return true;
}

}  // namespace

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), is_digit);
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::vector<Piece> pieces_of(std::string_view list) {
  std::vector<Piece> pieces;
  for (Piece& piece : cut(list))
    if (pieces.empty() || !join(list, pieces.back(), piece)) pieces.push_back(std::move(piece));
  return pieces;
}

}  // namespace multipass::events
