// SPDX-License-Identifier: MIT
#include "tool/variables.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/environment.hpp"
#include "catalogue/spelling.hpp"

namespace multipass::tool {
namespace {

// Those of the schema of the options and the others beside it; tests/python/test_config_schema.py compares them.
constexpr std::array kVariables{
    "COMPUTE_PANELS",
    "COMPUTE_RELEASE",
    "CONFIG",
    "EVENTS",
    "FORCE",
    "FORMAT",
    "GPUS",
    "GROUP",
    "HOST_MEMORY",
    "INSTANCES",
    "KERNEL_EXCLUDE",
    "KERNEL_INCLUDE",
    "LAYOUT",
    "MAX_REPLAYS",
    "NATIVE",
    "NO_MERGE",
    "NO_REPLAY",
    "OUTPUT",
    "OVERWRITE",
    "PERMUTE_GROUPS",
    "QUIET",
    "RANGE",
    "RANKS",
    "RECORD",
    "REPLAY",
    "REPLAY_BUDGET",
    "REPLAY_EVERYTHING",
    "RESOLVED",
    "ROCTX",
    "ROCTX_EXCLUDE",
    "ROCTX_INCLUDE",
    "SELECTED_REGIONS",
    "SENTINEL",
    "SET",
    "SIMULATE",
    "SIM_COST",
    "SIM_FAULTS",
    "SIM_TRUTH",
    "STALL_SECONDS",
    "STRICT",
    "TIMING_PASS",
    "TRACE_COUNTERS",
    "TRACE_PROCESSOR",
    "UNSAFE",
    "VERBOSE",
    "WARM_UP_PASS",
};

}  // namespace

std::vector<std::string> unknown_variables(const char* const* environ) {
  const std::set<std::string> known(kVariables.begin(), kVariables.end());
  std::vector<std::string> warnings;
  for (; environ != nullptr && *environ != nullptr; ++environ) {
    const std::string_view entry(*environ);
    if (!entry.starts_with(environment::kPrefix)) continue;
    const std::string name(entry.substr(0, entry.find('=')));
    const std::string own = name.substr(environment::kPrefix.size());
    if (known.contains(own)) continue;
    const auto near = catalogue::nearest(own, known);  // the prefix is no likeness
    warnings.push_back(name + " is not a known variable" +
                       (near ? "; did you mean " + std::string(environment::kPrefix) + *near + "?" : ""));
  }
  std::sort(warnings.begin(), warnings.end());
  return warnings;
}

}  // namespace multipass::tool
