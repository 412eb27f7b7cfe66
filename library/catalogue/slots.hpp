// SPDX-License-Identifier: MIT
//
// The registers of each hardware block that one pass may use, found by asking which counters a live SDK takes together.
// Pure but for the caller's question. Threads: any (the question is asked on the caller's). Errors: none but
// std::bad_alloc and what the question throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/agent.hpp"

namespace multipass::catalogue {

enum class Answer : std::uint8_t {
  kTaken,    // one configuration holds them
  kTooMany,  // their registers are more than a pass has
  kRefused,  // for another reason: a permission, an agent that is in use
};

// Asks the SDK for a configuration of these counters of one agent, and gives it back.
using TryConfig = std::function<Answer(const std::vector<std::string>& counters)>;

struct Slots {
  std::map<std::string, std::uint32_t> by_block;
  std::size_t trials = 0;  // times that the question was asked
};

// The registers of each block that holds one of `counters`, by trial: how many counters of the block one configuration
// takes. For a block with fewer counters than registers it is the number of its counters. A counter that is refused
// for another reason than the limit is left out of the trial, and so is the second of one name. Where blocks have the
// usual numbers of registers it takes one trial, and one for each block.
[[nodiscard]] Slots probe_slots(const std::vector<CounterInfo>& counters, const TryConfig& try_config);

}  // namespace multipass::catalogue
