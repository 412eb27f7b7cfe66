// SPDX-License-Identifier: MIT
//
// The list of counters that `--list` prints (schema 1, docs/formats/catalogue.md).
// Pure; one thread. Errors: none but std::bad_alloc; text that is not UTF-8 is written with replacement characters.
#pragma once

#include <string>
#include <vector>

#include "model/agent.hpp"

namespace multipass::apps {

inline constexpr int kCountersSchema = 1;

// Registers and slots as the planner counts them: with hidden registers, blocks that share registers as one.
[[nodiscard]] std::string counters_json(const std::vector<AgentCatalogue>& catalogues);

}  // namespace multipass::apps
