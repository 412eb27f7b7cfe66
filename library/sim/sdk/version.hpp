// SPDX-License-Identifier: MIT
//
// The SDK level that the stand-in plays: the first release line with kernel replay, or with the fault sdk_1_0_0 one
// without it.
#pragma once

#include <cstdint>

#include "sim/sdk/faults.hpp"

namespace multipass_sim {

struct Version {
  std::uint32_t major, minor, patch;
  const char* text;
  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return 10000 * major + 100 * minor + patch; }
};

inline constexpr Version kVersion{1, 4, 1, "1.4.1"};
inline constexpr Version kVersion100{1, 0, 0, "1.0.0"};

[[nodiscard]] inline const Version& version(Faults& faults) {
  return faults.on(Fault::kSdk100) ? kVersion100 : kVersion;
}

}  // namespace multipass_sim
