// SPDX-License-Identifier: MIT
//
// FNV-1a, 64 bits: a number that follows from a text, the same everywhere. Not for what an adversary chooses. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace multipass {

inline constexpr std::uint64_t kFnvOffset = 0xcbf29ce484222325U;

// `state`: what stands before the text, as this function left it.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t state = kFnvOffset) noexcept {
  for (const char byte : text) state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return state;
}

}  // namespace multipass
