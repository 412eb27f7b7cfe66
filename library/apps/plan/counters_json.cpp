// SPDX-License-Identifier: MIT
#include "apps/plan/counters_json.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "planner/register_model.hpp"

namespace multipass::apps {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_of(const CounterInfo& counter) noexcept {
  if (counter.is_constant) return "constant";
  return counter.is_derived ? "derived" : "base";
}

std::set<std::string> names_of(const AgentCatalogue& catalogue) {
  std::set<std::string> names;
  for (const auto& [name, counter] : catalogue.counters) names.insert(name);
  return names;
}

Json slots_json(const planner::RegisterModel& model) {
  Json slots = Json::object();
  for (const planner::Pool& pool : model.pools())
    if (!pool.name.empty()) slots[pool.name] = pool.capacity;
  return slots;
}

// Block -> registers that the counter alone programs.
Json registers_json(const std::string& name, const planner::RegisterModel& model) {
  std::map<std::string, std::uint32_t> registers;
  for (const planner::RegisterId id : model.cost_of({name}))
    ++registers[model.pools()[model.registers()[id].pool].name];
  Json json = Json::object();
  for (const auto& [pool, count] : registers) json[pool] = count;
  return json;
}

Json counter_json(const CounterInfo& counter, const AgentCatalogue& catalogue, const planner::RegisterModel& model) {
  Json keys = Json::array();
  Json unknown = Json::array();
  if (const auto found = catalogue.register_keys.find(counter.name); found != catalogue.register_keys.end())
    for (const RegisterKey& key : found->second)
      key.block.empty() ? unknown.push_back(key.name) : keys.push_back(key.block + ':' + key.name);
  Json registers = unknown.empty() ? registers_json(counter.name, model) : Json(nullptr);
  return {{"name", counter.name},           {"kind", kind_of(counter)},           {"block", counter.block},
          {"instances", counter.instances}, {"registers", std::move(registers)},  {"keys", std::move(keys)},
          {"unknown", std::move(unknown)},  {"description", counter.description}, {"expression", counter.expression}};
}

Json agent_json(const AgentCatalogue& catalogue) {
  const planner::RegisterModel model{catalogue, names_of(catalogue)};
  Json counters = Json::array();
  for (const auto& [name, counter] : catalogue.counters) counters.push_back(counter_json(counter, catalogue, model));
  return {{"device", catalogue.agent.name},
          {"device_index", catalogue.agent.device},
          {"product_name", catalogue.agent.product_name},
          {"slots", slots_json(model)},
          {"counters", std::move(counters)}};
}

}  // namespace

std::string counters_json(const std::vector<AgentCatalogue>& catalogues) {
  Json agents = Json::array();
  for (const AgentCatalogue& catalogue : catalogues) agents.push_back(agent_json(catalogue));
  const Json json = {{"schema", kCountersSchema}, {"agents", std::move(agents)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace multipass::apps
