// SPDX-License-Identifier: MIT
//
// The Plan JSON (schema 1): what `plan` prints, and what the Python package reads.
// Pure; one thread. Errors: none but std::bad_alloc; text that is not UTF-8 is written with replacement characters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalogue/resolve.hpp"
#include "metrics/metrics.hpp"
#include "model/plan.hpp"

namespace multipass::apps {

inline constexpr int kPlanSchema = 1;

struct PlanDocument {
  std::uint64_t effort = 0;                                  // that each search was allowed
  std::vector<AgentPlan> agents;                             // in the order of the devices asked for
  std::vector<std::vector<metrics::PlannedMetric>> metrics;  // metrics[i]: of the sets asked for, on agents[i]
  std::vector<catalogue::UnknownToken> unknown;              // rejected tokens too
  std::vector<std::string> duplicates;
  std::vector<catalogue::IgnoredToken> ignored;
  std::vector<std::string> warnings;  // something will be missing or wrong
  std::vector<std::string> notes;     // for information
};

// Keys in a fixed order, two blanks per level, a newline at the end: equal documents give equal bytes.
[[nodiscard]] std::string plan_json(const PlanDocument& document);

}  // namespace multipass::apps
