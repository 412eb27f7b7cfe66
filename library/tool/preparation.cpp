// SPDX-License-Identifier: MIT
#include "tool/preparation.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/deadline.hpp"
#include "base/text.hpp"
#include "catalogue/build.hpp"
#include "catalogue/resolve.hpp"
#include "events/parse.hpp"
#include "metrics/metrics.hpp"
#include "model/gpu_title.hpp"
#include "model/planned_counters.hpp"
#include "planner/plan_agent.hpp"
#include "planner/sentinels.hpp"
#include "replay/launch_ranges.hpp"
#include "sdk/configs.hpp"
#include "tool/accumulations.hpp"
#include "tool/config_trials.hpp"
#include "tool/polled.hpp"
#include "tool/shared_plans.hpp"
#include "tool/wanted.hpp"

namespace multipass::tool {
namespace {

std::vector<Gpu> list_gpus(Preparation& preparation) {
  std::vector<Gpu> gpus;
  for (std::size_t i = 0; i < preparation.agents.size(); ++i) {
    const sdk::SdkAgent& agent = preparation.agents[i].agent;
    if (agent.info.type != AgentType::kGpu) continue;
    Gpu& gpu = gpus.emplace_back();
    gpu.agent = i;
    Result<sdk::CounterList> list = sdk::query_counters(agent);
    const std::string left_out = gpu_title(agent.info) + " is left out: ";
    if (!list) {
      gpu.refused = true;
      preparation.warnings.push_back(left_out + list.message());
    } else if (!list->unsupported.empty()) {
      gpu.refused = true;
      preparation.notes.push_back(left_out + list->unsupported);
    } else {
      gpu.counters = std::move(list->counters);
    }
    std::vector<CounterInfo> infos;
    for (const sdk::SdkCounter& counter : gpu.counters) {
      gpu.ids.emplace(counter.info.name, counter.id);
      infos.push_back(counter.info);
    }
    gpu.catalogue = catalogue::build(agent.info, std::move(infos), {});
  }
  return gpus;
}

// Tables of the planned counters and the configuration of every pass. Either all passes have one or the agent has none.
Status make_configs(const Gpu& gpu, ConfigTrials& trials, PreparedAgent& prepared) {
  PlannedCounters planned = planned_counters(prepared.plan);
  for (const std::string& name : planned.names) {
    prepared.counters.push_back(gpu.catalogue.counters.at(name));
    prepared.counter_ids.push_back(gpu.ids.at(name));
  }
  prepared.groups = std::move(planned.groups);
  for (const PassPlan& pass : prepared.plan.passes) {
    Result<std::uint64_t> handle = trials.take(ids_of(gpu, pass.counters));
    if (!handle) return handle.status();
    prepared.configs.push_back(*handle);
  }
  return Status::ok();
}

void drop_configs(PreparedAgent& prepared) noexcept {
  for (const std::uint64_t config : prepared.configs) sdk::destroy_config(config);
  prepared.counters.clear();
  prepared.counter_ids.clear();
  prepared.configs.clear();
  prepared.groups.clear();
}

constexpr std::string_view kRefused = "the SDK refuses it: ";

// "3 counters are not collected: the SDK refuses them: PERMISSION_DENIED (40): A, B, C"
std::string text_of_refused(const std::vector<std::string>& counters, std::string_view why) {
  constexpr std::size_t kMaxNames = 12;
  std::string text = std::to_string(counters.size()) + " counters are not collected: the SDK refuses them: ";
  return text.append(why).append(": ").append(joined_up_to(counters, kMaxNames));
}

// One sentence for each, but one for all that are refused for the same reason: without a permission that is every
// counter.
std::vector<std::string> texts_of_unplaceable(const AgentPlan& plan, const std::vector<metrics::Metric>& known) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::string>> refused;  // by reason
  for (const UnplaceableCounter& counter : plan.unplaceable) {
    std::string text = metrics::text_of_unplaceable(counter, known);
    const bool says_no_more = text.ends_with(counter.reason);
    if (counter.reason.starts_with(kRefused) && !counter.is_group() && says_no_more)
      refused[counter.reason].push_back(counter.counter);
    else
      texts.push_back(std::move(text));
  }
  for (const auto& [reason, counters] : refused)
    texts.push_back(counters.size() == 1 ? counters[0] + " is not collected: " + reason
                                         : text_of_refused(counters, std::string_view(reason).substr(kRefused.size())));
  return texts;
}

// A counter that the SDK refuses whatever room there is looks to the planner like one without registers.
void explain_refusals(const Gpu& gpu, ConfigTrials& trials, PreparedAgent& prepared) {
  for (UnplaceableCounter& counter : prepared.plan.unplaceable) {
    const auto id = gpu.ids.find(counter.counter);
    if (id == gpu.ids.end()) continue;
    if (const auto why = trials.denial({id->second}))
      counter = {counter.counter, std::string(kRefused) + *why, {}, counter.needs, 0};
  }
}

// Slots found and plan made with this GPU's own SDK. What was asked of it stays in `trials`.
AgentPlan plan_alone(Gpu& gpu, const planner::Request& request, const PreparedAgent& prepared, ConfigTrials& trials,
                     StartUpCost& cost) {
  Stopwatch watch;
  catalogue::Slots slots = sdk::probe_slots(prepared.agent.handle, gpu.counters);
  gpu.catalogue.slots = std::move(slots.by_block);
  cost.slots += watch.lap();
  cost.configs_asked += slots.trials;
  planner::Options options;
  options.oracle = [&](const std::vector<std::string>& names) { return trials.accepts(ids_of(gpu, names)); };
  options.give_up = passed_after(planner::kSearchTime);
  AgentPlan plan = planner::plan_agent(gpu.catalogue, request, options);
  cost.plan += watch.lap();
  return plan;
}

void set_plan(AgentPlan plan, PreparedAgent& prepared) {
  plan.agent = prepared.agent.info.index;
  plan.arch = prepared.agent.info.name;
  plan.device = prepared.agent.info.device;
  prepared.plan = std::move(plan);
}

// With the plan of a GPU that is like this one, if there is such and the SDK makes all its passes for this one too.
bool follow_twin(const Gpu& gpu, const planner::Request& request, const SharedPlans& shared, ConfigTrials& trials,
                 PreparedAgent& prepared) {
  const AgentPlan* plan = shared.find(gpu.catalogue, request);
  if (plan == nullptr) return false;
  set_plan(*plan, prepared);
  if (make_configs(gpu, trials, prepared)) return true;
  drop_configs(prepared);
  return false;
}

void plan_gpu(Gpu& gpu, const catalogue::DeviceRequest& wanted, planner::SentinelChoice sentinels, SharedPlans& shared,
              PreparedAgent& prepared, std::vector<std::string>& warnings, StartUpCost& cost) {
  if (wanted.counters.empty()) return;
  const std::string name = gpu_title(prepared.agent.info);
  const planner::Request request{wanted.counters, wanted.groups, std::move(sentinels), wanted.loose_groups};
  ConfigTrials trials(prepared.agent.handle);
  Stopwatch watch;
  const bool followed = follow_twin(gpu, request, shared, trials, prepared);
  cost.configs += watch.lap();
  Status made = Status::ok();
  if (!followed) {
    AgentPlan plan = plan_alone(gpu, request, prepared, trials, cost);
    if (!trials.refused_any() && plan.unplaceable.empty()) shared.add(gpu.catalogue, request, plan);
    set_plan(std::move(plan), prepared);
    watch = Stopwatch();
    made = make_configs(gpu, trials, prepared);
    cost.configs += watch.lap();
  }
  watch = Stopwatch();
  explain_refusals(gpu, trials, prepared);
  cost.plan += watch.lap();
  cost.configs_asked += trials.asked();
  if (prepared.plan.search_given_up) warnings.push_back(name + ": " + planner::given_up_text());
  for (const std::string& text : texts_of_unplaceable(prepared.plan, gpu.metrics))
    warnings.push_back(name + ": " + text);
  for (const std::vector<std::string>& counters : prepared.plan.refused)
    warnings.push_back(name + ": by their registers " + joined(counters) +
                       " fit one pass, but the SDK does not take them together: they are in several");
  for (std::string& text : planner::sentinel_warnings(prepared.plan)) warnings.push_back(std::move(text));
  if (made) return;
  warnings.push_back(
      name + " collects nothing: a configuration that the SDK accepted on trial was refused: " + made.message());
  drop_configs(prepared);
  prepared.plan.passes.clear();
  prepared.plan.groups.clear();
  prepared.plan.partners.clear();
  prepared.plan.lower_bound = 0;
  prepared.plan.bounds = {};
  prepared.plan.search_given_up = false;
}

void note_named(const events::ParsedEvents& parsed, PreparedAgent& prepared) {
  for (const CounterInfo& counter : prepared.counters) {
    const bool named = std::any_of(parsed.requests.begin(), parsed.requests.end(), [&](const CounterRequest& request) {
      return request.counter == counter.name && request.device == prepared.agent.info.device;
    });
    if (named) prepared.named.push_back(counter.name);
  }
}

// Of the numbers in `parts`, those from `count` on, in order and each once: "3", "2 to 5, 9". Empty: none.
std::string missing_gpus(std::vector<std::pair<std::uint64_t, std::uint64_t>> parts, std::uint64_t count) {
  std::sort(parts.begin(), parts.end());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> missing;
  for (auto [first, last] : parts) {
    if (last < count) continue;
    first = std::max(first, count);
    if (!missing.empty() && (first <= missing.back().second || first == missing.back().second + 1))
      missing.back().second = std::max(missing.back().second, last);
    else
      missing.emplace_back(first, last);
  }
  std::vector<std::string> texts;
  for (const auto& [first, last] : missing)
    texts.push_back(std::to_string(first) + (first == last ? "" : " to " + std::to_string(last)));
  return joined(texts);
}

// The GPUs that the user does not want are as ones without a request.
Status choose_gpus(const RunConfig& config, const events::ParsedEvents& parsed, const std::vector<Gpu>& gpus,
                   Preparation& preparation) {
  if (config.gpus.empty()) return Status::ok();
  const Result<replay::LaunchRanges> wanted = replay::LaunchRanges::parse(config.gpus, 0);
  if (!wanted) return Status::error("gpus '" + config.gpus + "': " + wanted.message());
  if (const std::string missing = missing_gpus(wanted->parts(), gpus.size()); !missing.empty())
    preparation.warnings.push_back("gpus " + config.gpus + ": there is no GPU " + missing +
                                   (gpus.empty() ? "" : "; " + catalogue::gpus_there(gpus.size())));
  for (const Gpu& gpu : gpus) {
    PreparedAgent& prepared = preparation.agents[gpu.agent];
    prepared.left_out = !wanted->contains(prepared.agent.info.device);
  }
  for (const CounterRequest& request : parsed.requests)
    if (request.device && *request.device < gpus.size() && !wanted->contains(*request.device))
      preparation.warnings.push_back(request.counter + ":device=" + std::to_string(*request.device) +
                                     " is not collected: 'gpus " + config.gpus + "' leaves that GPU out");
  return Status::ok();
}

}  // namespace

bool Preparation::plans_anything() const noexcept {
  return std::any_of(agents.begin(), agents.end(), [](const PreparedAgent& agent) { return !agent.configs.empty(); });
}

bool Preparation::plans_replay(const ReplayExtras& extras) const noexcept {
  const std::size_t more = extras.executions();
  return std::any_of(agents.begin(), agents.end(), [more](const PreparedAgent& agent) {
    return !agent.configs.empty() && agent.configs.size() + more > 1;
  });
}

void Preparation::drop_configs() noexcept {
  for (PreparedAgent& agent : agents) tool::drop_configs(agent);
}

Result<Preparation> prepare(const RunConfig& config, bool replays, StartUpCost& cost) {
  Stopwatch watch;
  Result<std::vector<sdk::SdkAgent>> agents = sdk::query_agents();
  if (!agents) return agents.status();
  Preparation preparation;
  if (std::string failure = define_accumulations(config, *agents); !failure.empty())
    preparation.warnings.push_back(std::move(failure));
  for (sdk::SdkAgent& agent : *agents) {
    PreparedAgent& prepared = preparation.agents.emplace_back();
    prepared.plan.agent = agent.info.index;
    prepared.plan.arch = agent.info.name;
    prepared.plan.device = agent.info.device;
    prepared.plan.proof = Proof::kBound;  // nothing to collect takes no pass
    prepared.agent = std::move(agent);
  }
  const events::ParsedEvents parsed = parse_events(config, preparation);
  std::vector<Gpu> gpus = list_gpus(preparation);
  catalogue::Resolution resolution = resolve(config, parsed, gpus, preparation);
  if (Status status = choose_gpus(config, parsed, gpus, preparation); !status) return status;
  add_sets(config, gpus, resolution, preparation);
  add_panels(config, gpus, resolution, preparation);
  std::vector<planner::SentinelChoice> sentinels = choose_sentinels(config, replays, gpus, preparation);
  cost.counters += watch.lap();
  SharedPlans shared;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    PreparedAgent& prepared = preparation.agents[gpus[i].agent];
    if (prepared.left_out) continue;
    plan_gpu(gpus[i], resolution.devices[i], std::move(sentinels[i]), shared, prepared, preparation.warnings, cost);
    note_named(parsed, prepared);
  }
  tell_planned_panels(gpus, preparation);
  if (!config.polled.empty()) {
    const std::vector<std::string> faults = check_polled(config.polled, gpus, preparation.agents);
    preparation.warnings.insert(preparation.warnings.end(), faults.begin(), faults.end());
  }
  return preparation;
}

}  // namespace multipass::tool
