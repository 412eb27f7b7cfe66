// SPDX-License-Identifier: MIT
#include "apps/counters/live_catalogues.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "catalogue/build.hpp"
#include "catalogue/json.hpp"
#include "sdk/configs.hpp"
#include "sdk/registration.hpp"

namespace multipass::apps {
namespace {

// Of a kind of GPU, not of one GPU: a saved catalogue is the same whichever of equal GPUs it was read from.
AgentInfo without_place(AgentInfo info) {
  info.index = AgentIndex{};
  info.device = 0;
  info.node_id = 0;
  info.logical_node_id = 0;
  info.logical_node_type_id = 0;
  info.uuid.clear();
  return info;
}

Result<AgentCatalogue> read_catalogue(const sdk::SdkAgent& agent) {
  const Result<sdk::CounterList> list = sdk::query_counters(agent);
  if (!list) return list.status();
  const std::vector<sdk::SdkCounter>& counters = list->counters;
  if (!list->unsupported.empty()) return Status::error(list->unsupported);
  if (counters.empty()) return Status::error("the SDK lists no counters for " + agent.info.name);
  std::vector<CounterInfo> infos;
  infos.reserve(counters.size());
  for (const sdk::SdkCounter& counter : counters) infos.push_back(counter.info);
  return catalogue::build(without_place(agent.info), std::move(infos),
                          sdk::probe_slots(agent.handle, counters).by_block);
}

Status read_all(LiveCatalogues& live) {
  live.sdk = sdk::identify();
  Result<std::vector<sdk::SdkAgent>> agents = sdk::query_agents();
  if (!agents) return agents.status();
  std::map<std::string, std::size_t> known;  // by the text of the catalogue
  for (const sdk::SdkAgent& agent : *agents) {
    LiveAgent& found = live.agents.emplace_back();
    found.info = agent.info;
    Result<AgentCatalogue> catalogue = read_catalogue(agent);
    if (!catalogue) {
      found.reason = catalogue.message();
      continue;
    }
    const auto [at, is_new] = known.emplace(catalogue::to_json(*catalogue), live.catalogues.size());
    if (is_new) live.catalogues.push_back(*std::move(catalogue));
    found.catalogue = at->second;
  }
  return Status::ok();
}

bool is_plain(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

Result<LiveCatalogues> read_live_catalogues() {
  LiveCatalogues live;
  Status read = Status::error("the SDK was not asked");
  if (Status status = sdk::run_registered([&] { read = read_all(live); }); !status) return status;
  if (!read) return read;
  return live;
}

std::vector<std::string> file_names(const std::vector<AgentCatalogue>& catalogues) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const AgentCatalogue& catalogue : catalogues) {
    std::string stem = catalogue.agent.name.empty() ? "gpu" : catalogue.agent.name;
    std::replace_if(stem.begin(), stem.end(), [](char c) { return !is_plain(c); }, '_');
    if (stem.front() == '.') stem.front() = '_';  // no hidden file, and not ".."
    std::string name = stem;
    for (int i = 2; !taken.insert(name).second; ++i) name = stem + '-' + std::to_string(i);
    names.push_back(name + ".json");
  }
  return names;
}

}  // namespace multipass::apps
