// SPDX-License-Identifier: MIT
#include "apps/plan/counters_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

namespace multipass::apps {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kListSchema = 1;

Json counter_json(const CounterInfo& counter, const AgentCatalogue& catalogue) {
  Json registers = Json::array();
  if (const auto keys = catalogue.register_keys.find(counter.name); keys != catalogue.register_keys.end())
    for (const RegisterKey& key : keys->second) registers.push_back(key.block + ':' + key.name);
  return {{"name", counter.name},
          {"block", counter.block},
          {"is_derived", counter.is_derived},
          {"is_constant", counter.is_constant},
          {"instances", counter.instances},
          {"description", counter.description},
          {"expression", counter.expression},
          {"registers", std::move(registers)}};
}

std::string list_json(const std::vector<AgentCatalogue>& catalogues, const std::optional<std::regex>& pattern) {
  Json agents = Json::array();
  for (const AgentCatalogue& catalogue : catalogues) {
    Json counters = Json::array();
    for (const auto& [name, counter] : catalogue.counters)
      if (!pattern || std::regex_search(name, *pattern)) counters.push_back(counter_json(counter, catalogue));
    agents.push_back(Json{
        {"device", catalogue.agent.name}, {"device_index", catalogue.agent.device}, {"counters", std::move(counters)}});
  }
  const Json json = {{"schema", kListSchema}, {"agents", std::move(agents)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<std::string> counters_json(const std::vector<AgentCatalogue>& catalogues, const std::string& pattern) {
  try {
    std::optional<std::regex> regex;
    if (!pattern.empty()) regex.emplace(pattern, std::regex::ECMAScript | std::regex::icase);
    return list_json(catalogues, regex);
  } catch (const std::regex_error& error) {
    return Status::error("\"" + pattern + "\" is not a regular expression: " + error.what());
  }
}

}  // namespace multipass::apps
