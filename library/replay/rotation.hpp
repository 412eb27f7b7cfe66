// SPDX-License-Identifier: MIT
//
// In which order the launches of one shape read the groups of counters, where each launch reads one.
//
// What a kernel finds in the caches depends on what ran before it, so no group may always follow the same one. The
// order is the balanced Latin square of E. J. Williams (1949): the launches come in cycles of N, each cycle reads each
// of the N groups once, and over N cycles (2 N where N is odd) every group follows every other within a cycle equally
// often.
//
// Pure functions. N is never 0.
#pragma once

#include <cstdint>

#include "model/ids.hpp"

namespace multipass::replay {

// Turns after which the order begins anew. Where N is even as many cycles as groups, else twice as many.
[[nodiscard]] constexpr std::uint64_t turns_of(std::uint32_t groups) noexcept {
  const std::uint64_t n = groups;
  return n % 2 == 0 ? n * n : 2 * n * n;
}

// The group that turn 0, 1, ... reads. Position j of cycle c has group (w(j) + c) mod N with w = 0, 1, N-1, 2, N-2,
// ...; where N is odd, every second cycle is read from its end.
[[nodiscard]] constexpr GroupIndex group_of_turn(std::uint64_t turn, std::uint32_t groups) noexcept {
  const std::uint64_t n = groups;
  const std::uint64_t cycle = turn / n;
  std::uint64_t position = turn % n;
  if (n % 2 == 1 && cycle % 2 == 1) position = n - 1 - position;
  const std::uint64_t step = (position + 1) / 2;  // 0, 1, 1, 2, 2, ...
  const std::uint64_t first = position % 2 == 1 ? step : (n - step) % n;
  return GroupIndex{static_cast<std::uint32_t>((first + cycle) % n)};
}

}  // namespace multipass::replay
