// SPDX-License-Identifier: MIT
//
// Kinds of callback tracing and their operations by name.
//
// They are looked up among those that the library has: a number that it does not have aborts the process when it is
// configured (run against SDK 1.0.0), a branch once used another number for kernel replay, and the numbers of
// operations change as functions are added.
// Threads: called while the tool initialises, on that one thread. Nothing: it is not there, or cannot be listed.
#pragma once

#include <cstdint>
#include <optional>

namespace multipass::sdk {

[[nodiscard]] std::optional<int> find_kind(const char* name) noexcept;
[[nodiscard]] std::optional<std::int32_t> find_operation(int kind, const char* name) noexcept;

}  // namespace multipass::sdk
