// SPDX-License-Identifier: MIT
//
// Which planned counters have the values of their single instances recorded, and what is said of those that do not.
// Threads: find_instances inside the SDK's initialize call, lost_instances at the end.
#pragma once

#include <string>
#include <vector>

#include "sdk/services.hpp"
#include "tool/pipeline.hpp"
#include "tool/preparation.hpp"

namespace multipass::tool {

// Asks the SDK how the instances of every planned counter are numbered and keeps that with the counters. Warnings: of
// those for which it does not tell, only sums are recorded.
[[nodiscard]] std::vector<std::string> find_instances(std::vector<PreparedAgent>& agents);

// What was read of single instances and could not be recorded.
[[nodiscard]] std::vector<std::string> lost_instances(const std::vector<PreparedAgent>& agents,
                                                      const Pipeline& pipeline, const sdk::Services& services);

}  // namespace multipass::tool
