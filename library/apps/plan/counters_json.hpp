// SPDX-License-Identifier: MIT
//
// The list of counters that `--list` prints:
//   {"schema": 1, "agents": [{"device", "device_index", "counters": [{"name", "block", "is_derived", "is_constant",
//    "instances", "description", "expression", "registers": [...]}]}]}
// Pure; one thread. Errors: a pattern that is no regular expression gives a Status.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/agent.hpp"

namespace multipass::apps {

// Counters whose name contains a match of `pattern` (regular expression, case ignored); all for an empty pattern.
[[nodiscard]] Result<std::string> counters_json(const std::vector<AgentCatalogue>& catalogues,
                                                const std::string& pattern);

}  // namespace multipass::apps
