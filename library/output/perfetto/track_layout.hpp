// SPDX-License-Identifier: MIT
//
// Order and names of the tracks below a GPU. Pure functions.
// Order of a GPU's children: queues, counters of the only pass, replays without counters, replay passes, groups,
// dispatches without times. A rank orders lanes next to each other; kLaneRanks lanes are told apart, further ones
// follow in order of appearance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace multipass::output::perfetto {

inline constexpr std::int32_t kLaneRanks = 64;
inline constexpr std::int32_t kCounterRank = 1 << 20;
inline constexpr std::int32_t kPassRank = 1 << 28;
inline constexpr std::int32_t kWarmUpRank = kPassRank - 2 * kLaneRanks;
inline constexpr std::int32_t kTimingRank = kPassRank - kLaneRanks;
inline constexpr std::int32_t kGroupRank = kPassRank + (1 << 20);
inline constexpr std::int32_t kUntimedRank = kGroupRank + (1 << 20);

[[nodiscard]] inline std::int32_t lane_rank(std::int32_t base, std::size_t position, std::size_t lane) {
  constexpr std::size_t kMost = kLaneRanks - 1;
  constexpr std::size_t kPositions = (1U << 20U) / kLaneRanks;
  const std::size_t rank = std::min(position, kPositions) * kLaneRanks + std::min(lane, kMost);
  return base + static_cast<std::int32_t>(rank);
}

[[nodiscard]] inline std::string lane_name(std::string name, std::size_t lane) {
  if (lane != 0) name += " (" + std::to_string(lane + 1) + ")";
  return name;
}

// Slot `index` of a table that grows on demand; new slots are 0 or empty.
template <class T>
[[nodiscard]] T& slot(std::vector<T>& table, std::size_t index) {
  if (index >= table.size()) table.resize(index + 1);
  return table[index];
}

}  // namespace multipass::output::perfetto
