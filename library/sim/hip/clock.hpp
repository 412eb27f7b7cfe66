// SPDX-License-Identifier: MIT
//
// The clock of the simulated GPU. Any thread, never fails.
#pragma once

#include <time.h>

#include <cstdint>

namespace multipass_sim {

// CLOCK_BOOTTIME in nanoseconds.
inline std::uint64_t boot_time_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace multipass_sim
