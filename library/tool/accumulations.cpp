// SPDX-License-Identifier: MIT
#include "tool/accumulations.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "catalogue/accumulations.hpp"
#include "sdk/definitions.hpp"

namespace multipass::tool {
namespace {

// A folder with another counter_defs.yaml, of which it is not known whether it has the levels.
constexpr const char* kOtherDefinitions = "ROCPROFILER_METRICS_PATH";

std::string not_defined(const std::string& why) {
  std::vector<std::string> names;
  for (const catalogue::AccumulatedLevel& level : catalogue::accumulated_levels()) names.emplace_back(level.name);
  return joined(names) + " cannot be counted: " + why;
}

}  // namespace

std::string accumulation_definitions(std::span<const std::string> architectures) {
  std::vector<std::string> known;
  for (const std::string& architecture : architectures)
    if (catalogue::has_all_levels(architecture) && std::find(known.begin(), known.end(), architecture) == known.end())
      known.push_back(architecture);
  if (known.empty()) return {};
  nlohmann::json counters = nlohmann::json::array();
  for (const catalogue::AccumulatedLevel& level : catalogue::accumulated_levels()) {
    nlohmann::json definition{{"architectures", known}, {"expression", catalogue::expression_of(level)}};
    counters.push_back({{"name", level.name},
                        {"description", "Sum over cycles of " + std::string{level.of}},
                        {"properties", nlohmann::json::array()},
                        {"definitions", nlohmann::json::array({std::move(definition)})}});
  }
  const nlohmann::json text{{"rocprofiler-sdk", {{"counters-schema-version", 1}, {"counters", std::move(counters)}}}};
  return text.dump();
}

std::string define_accumulations(const RunConfig& config, std::span<const sdk::SdkAgent> agents) {
  if (!catalogue::wants_accumulations(config)) return {};
  std::vector<std::string> architectures;
  for (const sdk::SdkAgent& agent : agents)
    if (agent.info.type == AgentType::kGpu) architectures.push_back(agent.info.name);
  const std::string text = accumulation_definitions(architectures);
  if (text.empty()) return {};
  if (const std::string folder = environment::get(kOtherDefinitions).value_or(""); !folder.empty())
    return not_defined("the SDK has the counters of " + std::string{kOtherDefinitions} + "=" + folder +
                       "; unset it, or define them there");
  const Status defined = sdk::append_definitions(text);
  return defined ? std::string() : not_defined(defined.message());
}

}  // namespace multipass::tool
