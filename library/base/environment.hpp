// SPDX-License-Identifier: MIT
//
// Typed reads of environment variables. Threads: any, as long as nobody calls setenv at the same time; the tool reads
// only while it is initialised.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace multipass::environment {

// Prefix of every variable of this project.
inline constexpr std::string_view kPrefix = "ROCPROFSYS_MULTIPASS_";

// The value, or nothing when the variable is unset. An empty value is a value.
[[nodiscard]] std::optional<std::string> get(const std::string& name);

// The value of kPrefix + name.
[[nodiscard]] std::optional<std::string> get_own(std::string_view name);

// The first of the names that is set to a non-empty value.
[[nodiscard]] std::optional<std::string> first_of(std::initializer_list<const char*> names);

// on, yes, true, 1 -> true; off, no, false, 0 -> false (any case); anything else -> nothing.
[[nodiscard]] std::optional<bool> to_bool(std::string_view text) noexcept;

}  // namespace multipass::environment
