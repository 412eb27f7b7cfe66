// SPDX-License-Identifier: MIT
#include "replay/launch_ranges.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace multipass::replay {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::uint64_t lowest) : text_(text), lowest_(lowest) {}

  Status parse(std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges) {
    do {
      const bool bracket = take('[');
      const auto first = number();
      if (!first) return expected("a number from " + std::to_string(lowest_));
      auto last = first;
      if (take('-')) {
        last = number();
        if (!last) return expected("a number from " + std::to_string(lowest_));
        if (*last < *first)
          return fault(std::to_string(*first) + "-" + std::to_string(*last) + " ends before it begins");
      }
      if (bracket && !take(']')) return expected("']'");
      ranges.emplace_back(*first, *last);
    } while (take(','));
    return at_end() ? Status::ok() : expected("',' or the end");
  }

 private:
  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
  }

  bool at_end() {
    skip_blanks();
    return position_ == text_.size();
  }

  bool take(char wanted) {
    if (at_end() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  std::optional<std::uint64_t> number() {
    skip_blanks();
    std::uint64_t value = 0;
    const char* const begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < lowest_) return std::nullopt;
    position_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  [[nodiscard]] Status fault(const std::string& what) const {
    return Status::error("column " + std::to_string(position_ + 1) + ": " + what);
  }
  [[nodiscard]] Status expected(const std::string& what) const { return fault(what + " is expected here"); }

  std::string_view text_;
  std::uint64_t lowest_;
  std::size_t position_ = 0;
};

}  // namespace

Result<LaunchRanges> LaunchRanges::parse(std::string_view text, std::uint64_t lowest) {
  LaunchRanges made;
  if (Status status = Parser(text, lowest).parse(made.ranges_); !status) return status;
  return made;
}

bool LaunchRanges::contains(std::uint64_t number) const noexcept {
  return ranges_.empty() || std::any_of(ranges_.begin(), ranges_.end(), [number](const auto& range) {
           return range.first <= number && number <= range.second;
         });
}

}  // namespace multipass::replay
