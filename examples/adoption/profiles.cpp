// SPDX-License-Identifier: MIT
#include "profiles.hpp"

#include <algorithm>
#include <map>

#include "catalogue/build.hpp"
#include "catalogue/resolve.hpp"
#include "catalogue/slots.hpp"
#include "events/parse.hpp"
#include "model/gpu_title.hpp"
#include "model/planned_counters.hpp"
#include "planner/plan_agent.hpp"
#include "sdk/abi/rocprofiler.h"

namespace adoption {
namespace {

using multipass::catalogue::Answer;
using Names = std::vector<std::string>;

struct Gpu {
  AgentProfiles* agent = nullptr;
  std::vector<multipass::CounterInfo> counters;
  std::map<std::string, std::uint64_t> ids;  // of counters, by name
};

std::string text(const char* value) {
  return value == nullptr ? std::string() : value;
}

// Two lists that a host has already. Nothing may be thrown through C.
rocprofiler_status_t add_agents(rocprofiler_agent_version_t, const void** list, size_t count, void* out) noexcept try {
  for (size_t i = 0; i < count; ++i) {
    const auto& from = *static_cast<const rocprofiler_agent_v0_t*>(list[i]);
    AgentProfiles& agent = static_cast<std::vector<AgentProfiles>*>(out)->emplace_back();
    agent.handle = from.id.handle;
    agent.info.type = from.type == ROCPROFILER_AGENT_TYPE_GPU ? multipass::AgentType::kGpu : multipass::AgentType::kCpu;
    agent.info.node_id = from.node_id;
    agent.info.name = agent.plan.arch = text(from.name);
    agent.info.product_name = text(from.product_name);
  }
  return ROCPROFILER_STATUS_SUCCESS;
} catch (...) {
  return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
}

rocprofiler_status_t add_counters(rocprofiler_agent_id_t, rocprofiler_counter_id_t* list, size_t count,
                                  void* out) noexcept try {
  auto& gpu = *static_cast<Gpu*>(out);
  for (size_t i = 0; i < count; ++i) {
    rocprofiler_counter_info_v0_t from{};
    if (rocprofiler_query_counter_info(list[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &from) !=
            ROCPROFILER_STATUS_SUCCESS ||
        from.name == nullptr)
      continue;  // what has no name cannot be asked for
    gpu.counters.push_back({from.name, text(from.description), text(from.block), text(from.expression),
                            from.is_constant != 0, from.is_derived != 0});
    gpu.ids.emplace(from.name, list[i].handle);
  }
  return ROCPROFILER_STATUS_SUCCESS;
} catch (...) {
  return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
}

// From names of counters of this GPU to the SDK.
rocprofiler_status_t make_config(const Gpu& gpu, const Names& names, rocprofiler_counter_config_id_t& config) {
  std::vector<rocprofiler_counter_id_t> ids;
  for (const std::string& name : names) ids.push_back({gpu.ids.at(name)});
  config.handle = 0;  // any other would be extended
  return rocprofiler_create_counter_config({gpu.agent->handle}, ids.data(), ids.size(), &config);
}

// The one question that the core asks.
Answer try_config(const Gpu& gpu, const Names& names) {
  rocprofiler_counter_config_id_t config{};
  const rocprofiler_status_t status = make_config(gpu, names, config);
  if (status == ROCPROFILER_STATUS_SUCCESS) (void)rocprofiler_destroy_counter_config(config);
  if (status == ROCPROFILER_STATUS_SUCCESS) return Answer::kTaken;
  return status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT ? Answer::kTooMany : Answer::kRefused;
}

// A configuration for every pass, or none.
bool make_configs(const Gpu& gpu, AgentProfiles& agent) {
  for (const multipass::PassPlan& pass : agent.plan.passes) {
    rocprofiler_counter_config_id_t config{};
    if (make_config(gpu, pass.counters, config) != ROCPROFILER_STATUS_SUCCESS) return false;
    agent.configs.push_back(config.handle);
  }
  return true;
}

void plan(const Gpu& gpu, multipass::AgentCatalogue& catalogue, const Names& wanted,
          std::vector<std::string>& warnings) {
  AgentProfiles& agent = *gpu.agent;
  const auto ask = [&gpu](const Names& names) { return try_config(gpu, names); };
  catalogue.slots = multipass::catalogue::probe_slots(gpu.counters, ask).by_block;
  multipass::planner::Options options;
  options.oracle = [&](const Names& names) { return ask(names) == Answer::kTaken; };
  agent.plan = multipass::planner::plan_agent(catalogue, {wanted, {}, {}}, options);
  const std::string title = multipass::gpu_title(agent.info);
  for (const multipass::UnplaceableCounter& counter : agent.plan.unplaceable)
    warnings.push_back(title + ": " + counter.counter + " is not collected: " + counter.reason);
  if (!make_configs(gpu, agent)) {
    warnings.push_back(title + " collects nothing: the SDK refused a configuration that it made on trial");
    for (const std::uint64_t config : agent.configs) (void)rocprofiler_destroy_counter_config({config});
    agent.configs.clear();
    agent.plan.passes.clear();
  }
  multipass::PlannedCounters planned = multipass::planned_counters(agent.plan);
  agent.groups = std::move(planned.groups);
  for (const std::string& name : planned.names) {
    agent.counter_of.emplace(gpu.ids.at(name), static_cast<std::uint32_t>(agent.counters.size()));
    agent.counters.push_back(catalogue.counters.at(name));
  }
}

}  // namespace

std::vector<AgentProfiles> make_profiles(const std::string& events, std::vector<std::string>& warnings) {
  std::vector<AgentProfiles> agents;
  if (rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, add_agents, sizeof(rocprofiler_agent_v0_t),
                                         &agents) != ROCPROFILER_STATUS_SUCCESS)
    return {};
  std::sort(agents.begin(), agents.end(),
            [](const auto& left, const auto& right) { return left.info.node_id < right.info.node_id; });
  std::vector<Gpu> gpus;
  std::vector<multipass::AgentCatalogue> catalogues;
  for (std::uint32_t i = 0; i < agents.size(); ++i) {
    AgentProfiles& agent = agents[i];
    agent.info.index = agent.plan.agent = multipass::AgentIndex{i};
    if (agent.info.type != multipass::AgentType::kGpu) continue;
    agent.info.device = agent.plan.device = static_cast<std::uint32_t>(gpus.size());  // what ":device=N" means
    Gpu& gpu = gpus.emplace_back(Gpu{&agent, {}, {}});
    // No counters: an architecture that the SDK does not count on.
    (void)rocprofiler_iterate_agent_supported_counters({agent.handle}, add_counters, &gpu);
    catalogues.push_back(multipass::catalogue::build(agent.info, gpu.counters, {}));
  }
  std::vector<const multipass::AgentCatalogue*> known;
  for (const multipass::AgentCatalogue& catalogue : catalogues) known.push_back(&catalogue);

  const multipass::events::ParsedEvents parsed = multipass::events::parse(events);
  const multipass::catalogue::Resolution resolution = multipass::catalogue::resolve(parsed.requests, known);
  const auto leave_out = [&](const std::string& token, const std::string& why) {
    warnings.push_back("'" + token + "' is left out: " + why);
  };
  for (const auto& problem : parsed.problems) leave_out(problem.token, problem.message);
  for (const auto& unknown : resolution.unknown) leave_out(unknown.token, unknown.reason);
  for (const auto& nowhere : resolution.nowhere) leave_out(nowhere.token, nowhere.reason);
  for (const auto& ignored : resolution.ignored) leave_out(ignored.token, ignored.reason);
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (const Names& wanted = resolution.devices[i].counters; !wanted.empty())
      plan(gpus[i], catalogues[i], wanted, warnings);
  return agents;
}

}  // namespace adoption
