// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace multipass::sdk {

// The SDK's clock, that of the times in its records: nanoseconds of CLOCK_BOOTTIME. 0: it cannot be read. Any thread.
[[nodiscard]] std::uint64_t now_ns() noexcept;

}  // namespace multipass::sdk
