// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "apps/counters/probe.hpp"

namespace multipass::apps {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProbeSchema = 1;

Json agent_json(const ProbedAgent& agent) {
  const AgentInfo& info = agent.info;
  const bool is_gpu = info.type == AgentType::kGpu;
  return {{"index", info.index.value},
          {"type", is_gpu ? "gpu" : "cpu"},
          {"device", is_gpu ? Json(info.device) : Json(nullptr)},
          {"name", info.name},
          {"product_name", info.product_name},
          {"node_id", info.node_id},
          {"uuid", info.uuid},
          {"memory_bytes", info.local_mem_size},
          {"counters", agent.counters},
          {"reason", agent.reason},
          {"refused", agent.refused}};
}

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string probe_json(const ProbedSdk& sdk) {
  Json agents = Json::array();
  for (const ProbedAgent& agent : sdk.agents) agents.push_back(agent_json(agent));
  Json copies = Json::array();
  for (const LibraryCopies& one : sdk.copies) copies.push_back({{"library", one.library}, {"paths", one.paths}});
  const sdk::SdkIdentity& identity = sdk.identity;
  return line({{"stage", "sdk"},
               {"schema", kProbeSchema},
               {"tool_version", MULTIPASS_VERSION},
               {"sdk",
                {{"version", identity.version},
                 {"library", identity.library},
                 {"simulated", identity.simulated},
                 {"kernel_replay", identity.replay_kind.has_value()},
                 {"before_replay", identity.before_replay},
                 {"set_agents", sdk.features.set_agents},
                 {"kinds", sdk.features.kinds}}},
               {"copies", std::move(copies)},
               {"agents", std::move(agents)}});
}

std::string probe_json(const ProbedServices& services) {
  return line(
      {{"stage", "services"}, {"setup", services.setup}, {"replay", services.replay}, {"counting", services.counting}});
}

}  // namespace multipass::apps
