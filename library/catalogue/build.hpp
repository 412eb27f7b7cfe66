// SPDX-License-Identifier: MIT
//
// A catalogue made from what a live SDK tells: counters with their blocks and expressions, and the slots of the blocks.
// Pure. Threads: any. Errors: none but std::bad_alloc; what cannot be understood costs a key of the block "", which no
// pass has room for, so that it is reported and never counted wrong.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/agent.hpp"

namespace multipass::catalogue {

// The registers that `counter` costs: sorted, without duplicates. `counters` are all counters of the same agent.
//   - a constant costs nothing;
//   - a base counter costs the key of its name in its block;
//   - a derived counter costs what the counters named in its expression cost, transitively (a cycle is read once).
//     An identifier before '(' is a function; in accumulate(X, FLAG) the counter X costs X@FLAG, unless FLAG is NONE.
//     Of the identifiers that are no counter of the agent, one with a capital letter in it is taken for a counter that
//     is missing, and costs the key of its name in the block "". The others are operators of reduce() and properties
//     of the agent (cu_num), which are constants where they are counters at all, and cost nothing. So do the dimensions
//     (DIMENSION_XCC) and the flags, which are in capitals and no counters.
[[nodiscard]] std::vector<RegisterKey> register_keys(const CounterInfo& counter,
                                                     const std::map<std::string, CounterInfo>& counters);

// Of two counters with one name the first is kept. `slots` are the registers of each block that one pass may use.
[[nodiscard]] AgentCatalogue build(AgentInfo agent, std::vector<CounterInfo> counters,
                                   std::map<std::string, std::uint32_t> slots);

}  // namespace multipass::catalogue
