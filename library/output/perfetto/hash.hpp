// SPDX-License-Identifier: MIT
//
// Ids of tracks, flows and the packet sequence. Traces are merged by appending bytes, and equal ids from two
// producers become one track, so ids must look random: FNV-1a over length-prefixed parts, then the mixer of
// splitmix64. The same run gives the same ids. Threads: pure functions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/fnv1a.hpp"

namespace multipass::output::perfetto {

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t state) noexcept {
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebULL;
  return state ^ (state >> 31U);
}

// Never 0, which Perfetto reads as "no id".
[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t seed,
                                              std::initializer_list<std::string_view> parts) noexcept {
  std::uint64_t state = kFnvOffset ^ seed;
  for (const std::string_view part : parts) state = mix(fnv1a(part, state + part.size() + 1));
  return state == 0 ? 1 : state;
}

[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t seed, std::uint64_t first, std::uint64_t second) noexcept {
  const std::uint64_t state = mix(mix(mix(seed) + first + 0x9e3779b97f4a7c15ULL) + second + 0x9e3779b97f4a7c15ULL);
  return state == 0 ? 1 : state;
}

}  // namespace multipass::output::perfetto
