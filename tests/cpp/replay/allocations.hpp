// SPDX-License-Identifier: MIT
// Counts what a thread allocates, by replacing operator new in the test program that links allocations.cpp.
#pragma once

#include <cstdint>

namespace multipass::replay {

// Since the thread began.
[[nodiscard]] std::uint64_t allocations_of_this_thread() noexcept;

}  // namespace multipass::replay
