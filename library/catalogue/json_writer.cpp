// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "catalogue/json.hpp"

namespace multipass::catalogue {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json agent_json(const AgentInfo& agent) {
  return {{"index", agent.index.value},
          {"type", agent.type == AgentType::kCpu ? "cpu" : "gpu"},
          {"device", agent.device},
          {"node_id", agent.node_id},
          {"logical_node_id", agent.logical_node_id},
          {"logical_node_type_id", agent.logical_node_type_id},
          {"name", agent.name},
          {"vendor_name", agent.vendor_name},
          {"product_name", agent.product_name},
          {"model_name", agent.model_name},
          {"device_id", agent.device_id},
          {"uuid", agent.uuid},
          {"cu_count", agent.cu_count},
          {"simd_count", agent.simd_count},
          {"simd_per_cu", agent.simd_per_cu},
          {"wave_front_size", agent.wave_front_size},
          {"num_xcc", agent.num_xcc},
          {"num_shader_banks", agent.num_shader_banks},
          {"max_waves_per_simd", agent.max_waves_per_simd},
          {"max_engine_clk_fcompute", agent.max_engine_clk_fcompute},
          {"local_mem_size", agent.local_mem_size}};
}

// False for a key that a reader would refuse: the block "" stands for an unknown cost, which follows again from block
// and expression when the file is read.
bool is_known(const std::vector<RegisterKey>& keys) {
  for (const RegisterKey& key : keys)
    if (key.block.empty()) return false;
  return true;
}

Json counter_json(const CounterInfo& counter, const std::vector<RegisterKey>* keys) {
  Json json = {{"name", counter.name},
               {"block", counter.block},
               {"is_derived", counter.is_derived},
               {"is_constant", counter.is_constant},
               {"instances", counter.instances},
               {"description", counter.description}};
  if (!counter.expression.empty()) json["expression"] = counter.expression;
  if (keys == nullptr || !is_known(*keys)) return json;
  Json registers = Json::array();
  for (const RegisterKey& key : *keys) registers.push_back(key.block + ':' + key.name);
  json["registers"] = std::move(registers);
  return json;
}

// A block that a counter needs and that has no entry is one without slots; a reader wants to see it.
Json slots_json(const AgentCatalogue& catalogue) {
  std::map<std::string, std::uint32_t> slots = catalogue.slots;
  for (const auto& [name, keys] : catalogue.register_keys)
    for (const RegisterKey& key : keys)
      if (!key.block.empty()) slots.emplace(key.block, 0);
  Json json = Json::object();
  for (const auto& [block, count] : slots) json[block] = count;
  return json;
}

}  // namespace

std::string to_json(const AgentCatalogue& catalogue, const std::string& source) {
  std::string text = "{\n\"schema\": " + std::to_string(kCatalogueSchema);
  text += ",\n\"source\": " + line_of(source);
  text += ",\n\"agent\": " + line_of(agent_json(catalogue.agent));
  text += ",\n\"slots\": " + line_of(slots_json(catalogue));
  text += ",\n\"counters\": [";
  const char* separator = "\n";
  for (const auto& [name, counter] : catalogue.counters) {
    const auto keys = catalogue.register_keys.find(name);
    text += separator;
    text += line_of(counter_json(counter, keys == catalogue.register_keys.end() ? nullptr : &keys->second));
    separator = ",\n";
  }
  text += "\n]\n}\n";
  return text;
}

}  // namespace multipass::catalogue
