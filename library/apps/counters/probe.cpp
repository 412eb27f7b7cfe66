// SPDX-License-Identifier: MIT
#include "apps/counters/probe.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "sdk/configs.hpp"
#include "sdk/quiet_listener.hpp"
#include "sdk/registration.hpp"
#include "sdk/services.hpp"

namespace multipass::apps {
namespace {

// A counter that takes a register, if there is one: a permission is asked for where hardware is programmed.
const sdk::SdkCounter* counter_to_try(const std::vector<sdk::SdkCounter>& counters) {
  for (const sdk::SdkCounter& counter : counters)
    if (!counter.info.is_constant && !counter.info.is_derived) return &counter;
  return counters.empty() ? nullptr : &counters.front();
}

ProbedAgent probe_agent(const sdk::SdkAgent& agent) {
  ProbedAgent probed;
  probed.info = agent.info;
  const Result<sdk::CounterList> list = sdk::query_counters(agent);
  if (!list) {
    probed.reason = list.message();
  } else if (!list->unsupported.empty()) {
    probed.reason = list->unsupported;
  } else if (list->counters.empty()) {
    probed.reason = "the SDK lists no counters for " + agent.info.name;
  } else {
    probed.counters = list->counters.size();
    bool too_many = false;
    const Result<std::uint64_t> config =
        sdk::create_config(agent.handle, {counter_to_try(list->counters)->id}, too_many);
    if (config)
      sdk::destroy_config(*config);
    else
      probed.refused = config.message();
  }
  return probed;
}

// The way of the plugin, Tool::start_services. The services may go before the process does, as those of the plugin may
// not: once stopped, without a kernel and its code, nothing calls them.
ProbedServices try_services(const std::vector<sdk::SdkAgent>& agents, std::optional<int> replay_kind) {
  ProbedServices probed;
  sdk::QuietListener listener;  // nothing is launched in this process: no callback comes
  std::vector<sdk::AgentBinding> bindings;
  for (const sdk::SdkAgent& agent : agents) bindings.push_back({agent.handle, agent.info.index, {}});
  auto created = sdk::create_services(listener, bindings, replay_kind);
  if (!created) {
    probed.setup = created.message();
    return probed;
  }
  const std::unique_ptr<sdk::Services> services = *std::move(created);
  if (replay_kind && !services->replays()) probed.replay = services->why_no_replay();
  if (Status status = services->start_tracing(); !status) probed.setup = status.message();
  if (Status status = services->start_counting(); !status) probed.counting = status.message();
  services->stop();
  return probed;
}

}  // namespace

Status probe_sdk(const ProbeListener& tell) {
  Status asked = Status::error("the SDK was not asked");
  Status registered = sdk::run_registered([&] {
    ProbedSdk sdk;
    sdk.identity = sdk::identify();
    sdk.features = sdk::query_features();
    sdk.copies = library_copies();
    Result<std::vector<sdk::SdkAgent>> agents = sdk::query_agents();
    asked = agents ? Status::ok() : agents.status();
    if (!agents) return;
    for (const sdk::SdkAgent& agent : *agents) sdk.agents.push_back(probe_agent(agent));
    tell.sdk(sdk);
    tell.services(try_services(*agents, sdk.identity.replay_kind));
  });
  return registered ? asked : registered;
}

}  // namespace multipass::apps
