// SPDX-License-Identifier: MIT
//
// Counter configurations: the SDK's own word on what one pass can hold.
// Threads: called while the tool initialises. Handles stay valid until the process ends unless destroyed.
// Cost of one trial: 50 to 130 us on a gfx942 topology (SDK 1.0.0), more for very long lists.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "sdk/inventory.hpp"

namespace multipass::sdk {

// A configuration of these counters. The message tells the SDK's status.
[[nodiscard]] Result<std::uint64_t> create_config(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids);

// Whether the SDK would create it; nothing is kept. The SDK does not count hidden registers, so yes is not enough.
[[nodiscard]] bool accepts(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids);

// Of a configuration that is not needed after all.
void destroy_config(std::uint64_t handle) noexcept;

// The registers of each block that holds one of `counters`, by trial: how many counters of the block one configuration
// takes. For a block with fewer counters than registers it is the number of its counters. A counter that is refused
// for another reason than the limit is left out of the trial.
[[nodiscard]] std::map<std::string, std::uint32_t> probe_slots(std::uint64_t agent_handle,
                                                               const std::vector<SdkCounter>& counters);

}  // namespace multipass::sdk
