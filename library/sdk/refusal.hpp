// SPDX-License-Identifier: MIT
//
// Why the SDK refuses a counter for another reason than its registers: a permission, an agent that is in use.
// Threads: as configs.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace multipass::sdk {

// Asks for a configuration of this counter alone. Nothing when it is accepted, or takes more registers than there are.
[[nodiscard]] std::optional<std::string> refusal(std::uint64_t agent_handle, std::uint64_t counter_id);

}  // namespace multipass::sdk
