// SPDX-License-Identifier: MIT
//
// Counter configurations: the SDK's own word on what one pass can hold.
// Threads: called while the tool initialises. Handles stay valid until the process ends unless destroyed.
// Cost of one trial: 50 to 130 us on a gfx942 topology (SDK 1.0.0), more for very long lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "catalogue/slots.hpp"
#include "sdk/inventory.hpp"

namespace multipass::sdk {

// A configuration of these counters. The message tells the SDK's status; `too_many` that it is their registers and not
// another reason: a permission, an agent that is in use. The SDK does not count hidden registers, so that it makes one
// does not mean that it can be used.
[[nodiscard]] Result<std::uint64_t> create_config(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids,
                                                  bool& too_many);

// Of a configuration that is not needed after all.
void destroy_config(std::uint64_t handle) noexcept;

// The registers of each block, by trial on this agent (catalogue/slots.hpp).
[[nodiscard]] catalogue::Slots probe_slots(std::uint64_t agent_handle, const std::vector<SdkCounter>& counters);

}  // namespace multipass::sdk
