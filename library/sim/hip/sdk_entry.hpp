// SPDX-License-Identifier: MIT
//
// Finds the stand-in SDK beside the library that calls, when a tool is wanted, and hands it that library's tables, as
// ROCm's libraries do through rocprofiler-register. Compiled into each of them. Failure: one line on stderr, the
// program runs unprofiled.
#pragma once

#include <cstdint>
#include <span>

namespace multipass_sim {

void offer_to_sdk(const char* name, std::uint64_t version, std::span<void*> tables) noexcept;

}  // namespace multipass_sim
