// SPDX-License-Identifier: MIT
#include "catalogue/spelling.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace multipass::catalogue {
namespace {

constexpr std::size_t kLongestName = 64;  // longer names get no suggestion; the longest known ones have 45 letters
constexpr std::size_t kNearDistance = 2;
constexpr std::size_t kShortestPrefix = 4;

bool is_capital(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}
bool is_small(char c) noexcept {
  return c >= 'a' && c <= 'z';
}

// What is compared: small letters, without underscores.
std::string core_of(std::string_view text) {
  std::string core;
  core.reserve(text.size());
  for (const char c : text)
    if (c != '_') core += is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return core;
}

enum class Case : std::uint8_t { kCapital, kSmall, kMixed };

Case case_of(std::string_view text) noexcept {
  if (std::none_of(text.begin(), text.end(), is_small)) return Case::kCapital;
  return std::any_of(text.begin(), text.end(), is_capital) ? Case::kMixed : Case::kSmall;
}

// Of names that are equally near: the smaller is taken.
std::size_t strangeness(Case asked, std::string_view name) noexcept {
  const Case own = case_of(name);
  return own == asked ? 0 : own == Case::kCapital ? 1 : 2;
}
constexpr std::size_t kStrangeness = 3;  // values

// The best candidate so far; smaller rank wins, then the earlier name (names come in order).
struct Best {
  std::size_t rank;
  const std::string* name = nullptr;

  void offer(std::size_t candidate_rank, const std::string& candidate) noexcept {
    if (candidate_rank >= rank) return;
    rank = candidate_rank;
    name = &candidate;
  }
};

}  // namespace

// Optimal string alignment: three rows of the usual table.
std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit) {
  const std::size_t gap = left.size() > right.size() ? left.size() - right.size() : right.size() - left.size();
  if (gap > limit) return limit + 1;
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    if (*std::min_element(row.begin(), row.end()) > limit) return limit + 1;
    before = last;
    last = row;
  }
  return last.back();
}

std::optional<std::string> nearest(std::string_view asked, const std::set<std::string>& known) {
  if (asked.empty() || asked.size() > kLongestName) return std::nullopt;
  const std::string wanted = core_of(asked);
  if (wanted.empty()) return std::nullopt;
  const Case asked_case = case_of(asked);
  const std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);
  // Ranks: distance 0..2, then prefixes by length, then the other distances.
  constexpr std::size_t kPrefixes = kNearDistance + 1;
  constexpr std::size_t kFar = kPrefixes + kLongestName + 1;
  Best best{(kFar + limit + 1) * kStrangeness, nullptr};
  for (const std::string& name : known) {
    if (name.size() > kLongestName) continue;
    const std::string candidate = core_of(name);
    const auto offer = [&](std::size_t rank) { best.offer(rank * kStrangeness + strangeness(asked_case, name), name); };
    const std::size_t distance = edit_distance(wanted, candidate, limit);
    if (distance <= limit) offer(distance <= kNearDistance ? distance : kFar + distance);
    if (wanted.size() >= kShortestPrefix && candidate.starts_with(wanted)) offer(kPrefixes + candidate.size());
  }
  if (best.name == nullptr) return std::nullopt;
  return *best.name;
}

}  // namespace multipass::catalogue
