// SPDX-License-Identifier: MIT
//
// The SDK level that the stand-in plays: the first release line with kernel replay.
#pragma once

#include <cstdint>

namespace multipass_sim {

inline constexpr std::uint32_t kVersionMajor = 1;
inline constexpr std::uint32_t kVersionMinor = 4;
inline constexpr std::uint32_t kVersionPatch = 1;
inline constexpr std::uint32_t kVersionNumber = 10000 * kVersionMajor + 100 * kVersionMinor + kVersionPatch;
inline constexpr const char* kVersionString = "1.4.1";

}  // namespace multipass_sim
