// SPDX-License-Identifier: MIT
//
// The clock of the simulated machine: CLOCK_BOOTTIME, and what the cost model (costs.hpp) has put in front of it. One
// for the process, the same for all threads, never goes back. Any thread, never fails.
#pragma once

#include <cstdint>

namespace multipass_sim {

// Nanoseconds.
[[nodiscard]] std::uint64_t boot_time_ns() noexcept;

// Puts the clock on, so that it shows at least `time_ns`; nobody sleeps. Where it shows that already, nothing happens:
// what runs at the same time does not add up.
void let_time_pass_until(std::uint64_t time_ns) noexcept;

}  // namespace multipass_sim
