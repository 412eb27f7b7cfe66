// SPDX-License-Identifier: MIT
#include "apps/counters/index_json.hpp"

#include <nlohmann/json.hpp>

namespace multipass::apps {
namespace {

using Json = nlohmann::ordered_json;

Json agent_json(const LiveAgent& agent, const LiveCatalogues& live, const std::vector<std::string>& files) {
  const bool is_gpu = agent.info.type == AgentType::kGpu;
  return {{"index", agent.info.index.value},
          {"type", is_gpu ? "gpu" : "cpu"},
          {"device", is_gpu ? Json(agent.info.device) : Json(nullptr)},
          {"name", agent.info.name},
          {"product_name", agent.info.product_name},
          {"counters", agent.catalogue ? live.catalogues[*agent.catalogue].counters.size() : 0},
          {"catalogue", agent.catalogue ? Json(files[*agent.catalogue]) : Json(nullptr)},
          {"reason", agent.reason}};
}

}  // namespace

std::string index_json(const LiveCatalogues& live, const std::vector<std::string>& files) {
  Json agents = Json::array();
  for (const LiveAgent& agent : live.agents) agents.push_back(agent_json(agent, live, files));
  const Json json = {{"schema", kIndexSchema},
                     {"sdk",
                      {{"version", live.sdk.version},
                       {"library", live.sdk.library},
                       {"simulated", live.sdk.simulated},
                       {"kernel_replay", live.sdk.replay_kind.has_value()}}},
                     {"agents", std::move(agents)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace multipass::apps
