// SPDX-License-Identifier: MIT
//
// JSON as it is stored in extdata columns. Threads: pure function.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace multipass::output::rocpd {

// One line, keys in the order of insertion; bytes that are not UTF-8 become U+FFFD, so this does not throw.
[[nodiscard]] std::string to_text(const nlohmann::ordered_json& value);

}  // namespace multipass::output::rocpd
