// SPDX-License-Identifier: MIT
//
// Time and thread identity as the SDK reports them. Any thread.
#pragma once

#include <cstdint>

namespace multipass_sim {

[[nodiscard]] std::uint64_t boottime_ns() noexcept;  // CLOCK_BOOTTIME, or the clock of the runtime
void use_clock(std::uint64_t (*now_ns)()) noexcept;  // that of the runtime, which may be ahead; null: none
[[nodiscard]] std::uint64_t thread_id() noexcept;    // gettid()
[[nodiscard]] std::uint32_t random_u32() noexcept;   // not 0; for handle bases that differ from run to run

}  // namespace multipass_sim
