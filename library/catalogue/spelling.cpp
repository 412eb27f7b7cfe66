// SPDX-License-Identifier: MIT
#include "catalogue/spelling.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace multipass::catalogue {
namespace {

constexpr std::size_t kLongestName = 64;  // longer names get no suggestion; the longest known ones have 45 letters
constexpr std::size_t kNearDistance = 2;
constexpr std::size_t kShortestPrefix = 4;

std::string lowered(std::string_view text) {
  std::string lower{text};
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

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
  const std::string wanted = lowered(asked);
  const std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);
  // Ranks: distance 0..2, then prefixes by length, then the other distances.
  constexpr std::size_t kPrefixes = kNearDistance + 1;
  constexpr std::size_t kFar = kPrefixes + kLongestName + 1;
  Best best{kFar + limit + 1, nullptr};
  for (const std::string& name : known) {
    if (name.size() > kLongestName) continue;
    const std::string candidate = lowered(name);
    const std::size_t distance = edit_distance(wanted, candidate, limit);
    if (distance <= limit) best.offer(distance <= kNearDistance ? distance : kFar + distance, name);
    if (wanted.size() >= kShortestPrefix && candidate.starts_with(wanted)) best.offer(kPrefixes + name.size(), name);
  }
  if (best.name == nullptr) return std::nullopt;
  return *best.name;
}

}  // namespace multipass::catalogue
