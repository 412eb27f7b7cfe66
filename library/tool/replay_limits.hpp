// SPDX-License-Identifier: MIT
//
// What limits replay, as texts of the variables ROCPROFSYS_MULTIPASS_{REPLAY_BUDGET,MAX_REPLAYS,UNSAFE,HOST_MEMORY}.
// The wrapper reads the same texts from its options (python/rocprofsys_multipass/config/{limits,quantities}.py);
// tests/data/replay_limits.json holds both to one grammar. Pure. An error has the value and what is allowed.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.hpp"
#include "model/run.hpp"

namespace multipass::tool {

// "90s", "10%", "60s,10%", "none"
[[nodiscard]] Result<ReplayBudget> parse_replay_budget(std::string_view text);
// "3", "none", which is 0
[[nodiscard]] Result<std::uint64_t> parse_max_replays(std::string_view text);
// "managed_memory, budget", "all"
[[nodiscard]] Result<SafetyReasons> parse_unsafe(std::string_view text);
// "64GB": bytes
[[nodiscard]] Result<std::uint64_t> parse_host_memory(std::string_view text);

}  // namespace multipass::tool
