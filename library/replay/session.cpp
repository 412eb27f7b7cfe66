// SPDX-License-Identifier: MIT
#include "replay/session.hpp"

namespace multipass::replay {
namespace {

constinit thread_local LaunchStack t_launches;

}  // namespace

Session::Session(std::vector<AgentConfigs> agents, bool rotate, KernelFilter filter, ReplayLimits limits,
                 ReplayExtras extras, const Surroundings& around)
    : agents_(std::move(agents)),
      rotate_(rotate),
      filter_(std::move(filter)),
      limits_(std::move(limits)),
      extras_(extras),
      admission_(std::make_unique<Admission>(agents_.size(), limits_.admission, around)) {
  for (std::size_t i = 0; i < agents_.size(); ++i) tables_.push_back(std::make_unique<LaunchTable>());
}

const AgentConfigs* Session::configs(AgentIndex agent) const noexcept {
  return agent.value < agents_.size() ? &agents_[agent.value] : nullptr;
}

std::uint64_t Session::executions(const AgentConfigs* agent) const noexcept {
  if (agent == nullptr || agent->handles.empty()) return 0;
  return agent->handles.size() + extras_.executions();
}

Session::Known Session::know(KernelId kernel, std::string_view demangled) noexcept {
  Known known;
  known.filter_searched = filter_.know(kernel, demangled);
  const std::optional<bool> listed = limits_.no_replay.contains(demangled);
  known.list_searched = listed.has_value();
  if (!listed.value_or(true)) return known;
  try {
    for (const auto& table : tables_) table->never_replay(kernel);
  } catch (...) {  // out of memory: it is taken for one that may be replayed
  }
  return known;
}

void Session::forget(KernelId kernel) noexcept {
  filter_.forget(kernel);
  for (const auto& table : tables_) table->forget(kernel);
}

Launch& Session::open(const DispatchInfo& dispatch) noexcept {
  return t_launches.open(dispatch.dispatch_id, [this](Launch& lost) { close(lost); });
}

// The launch that the dispatch belongs to, decided on. In a pass nothing is left to decide.
Launch& Session::decided(const DispatchInfo& dispatch, bool offered) noexcept {
  Launch& launch = open(dispatch);
  if (launch.decided || launch.in_pass) return launch;
  launch.decided = true;
  if (filter_.active()) launch.decision.filtered = filter_.decide(dispatch);
  if (!launch.decision.filtered) launch.decision.declined = not_replayed(dispatch, launch, offered);
  return launch;
}

std::optional<DeclineReason> Session::not_replayed(const DispatchInfo& dispatch, Launch& launch,
                                                   bool offered) noexcept {
  const AgentConfigs* agent = configs(dispatch.agent);
  if (executions(agent) < 2) return std::nullopt;
  if (tables_[dispatch.agent.value]->is_never_replayed(dispatch.kernel)) return DeclineReason::kNoReplayList;
  // What the SDK does not offer is no replay that could be spared.
  return offered ? not_admitted(dispatch, launch) : std::nullopt;
}

std::optional<DeclineReason> Session::not_admitted(const DispatchInfo& dispatch, Launch& launch) noexcept {
  LaunchTable& table = *tables_[dispatch.agent.value];
  if (const auto reason = admission_->refuses(dispatch, executions(configs(dispatch.agent)), launch.ticket))
    return reason;
  if (limits_.max_replays != 0) {
    launch.replay_taken = table.take_replay(shape_of(dispatch), limits_.max_replays);
    if (!launch.replay_taken) return DeclineReason::kMaxReplays;
  }
  const auto reason = admission_->opens(dispatch, launch.ticket);
  if (reason && launch.replay_taken) {
    table.give_back_replay(shape_of(dispatch));
    launch.replay_taken = false;
  }
  launch.info = dispatch;
  return reason;
}

Offer Session::config_enter(const DispatchInfo& dispatch) noexcept {
  Offer offer;
  Launch& launch = decided(dispatch, true);
  launch.window_open = true;
  offer.decision = launch.decision;
  const std::uint64_t wanted = executions(configs(dispatch.agent));
  if (wanted < 2 || offer.decision.filtered) return offer;
  admission_->note(dispatch.agent, offer.decision.declined);
  if (!offer.decision.declined) offer.passes = wanted;
  return offer;
}

bool Session::goes_on(const DispatchInfo& dispatch) noexcept {
  Launch* launch = t_launches.find(dispatch.dispatch_id);
  if (launch == nullptr) return true;
  if (!launch->ended_early) launch->ended_early = admission_->ends(dispatch, launch->ticket, launch->passes_begun);
  return !launch->ended_early;
}

void Session::close(Launch& launch) noexcept {
  admission_->closes(launch.info, launch.ticket, launch.passes_begun);
}

WindowEnd Session::config_exit(const DispatchInfo& dispatch) noexcept {
  Launch* launch = t_launches.find(dispatch.dispatch_id);
  if (launch == nullptr) return {};
  close(*launch);
  const bool began = launch->passes_begun > 0;
  const WindowEnd end{began ? launch->ticket.despite : SafetyReasons{}, launch->ended_early};
  if (launch->replay_taken && launch->ended_early) tables_[dispatch.agent.value]->end_replay_early(shape_of(dispatch));
  if (began || launch->ran) {
    t_launches.close(dispatch.dispatch_id);  // also when its loop was abandoned inside a pass, or no pass was told of
  } else {
    if (launch->replay_taken) tables_[dispatch.agent.value]->give_back_replay(shape_of(dispatch));
    launch->replay_taken = false;
    launch->in_pass = false;
    launch->window_open = false;  // its only execution follows
  }
  return end;
}

bool Session::in_window() noexcept {
  return t_launches.any([](const Launch& launch) { return launch.ticket.open; });
}

std::optional<std::uint64_t> Session::replays_left(AgentIndex agent, const LaunchShape& shape) const noexcept {
  if (limits_.max_replays == 0 || agent.value >= tables_.size()) return std::nullopt;
  return tables_[agent.value]->replays_left(shape, limits_.max_replays);
}

void Session::pass_enter(const DispatchInfo& dispatch, PassIndex pass) noexcept {
  Launch& launch = open(dispatch);
  if (launch.passes_begun == 0) admission_->begins(dispatch, launch.ticket);
  launch.in_pass = true;
  launch.pass = pass;
  ++launch.passes_begun;
  // Only now is it sure that the launch is replayed: one that the SDK declines takes no turn.
  if (!extras_.permute || pass.value != 0) return;
  const AgentConfigs* agent = configs(dispatch.agent);
  if (agent == nullptr || agent->handles.empty()) return;
  launch.shift =
      tables_[dispatch.agent.value]->next_shift(shape_of(dispatch), static_cast<std::uint32_t>(agent->handles.size()));
}

void Session::pass_exit(const DispatchInfo& dispatch) noexcept {
  if (Launch* launch = t_launches.find(dispatch.dispatch_id)) launch->in_pass = false;
}

Execution Session::execution_of(const Launch& launch, const AgentConfigs* agent) const noexcept {
  Execution execution;
  std::uint32_t number = launch.pass.value;
  if (extras_.warm_up && number-- == 0) {
    execution.kind = ExecutionKind::kWarmUp;
    return execution;
  }
  if (extras_.timing && number-- == 0) {
    execution.kind = ExecutionKind::kTiming;
    return execution;
  }
  execution.pass = PassIndex{number};
  execution.group = GroupIndex{number};
  const std::size_t groups = agent == nullptr ? 0 : agent->handles.size();
  if (number < groups && launch.shift)
    execution.group = GroupIndex{static_cast<std::uint32_t>((std::uint64_t{number} + *launch.shift) % groups)};
  return execution;
}

Execution Session::current(const DispatchInfo& dispatch) const noexcept {
  const Launch* launch = t_launches.find(dispatch.dispatch_id);
  if (launch == nullptr || !launch->in_pass) return {};
  return execution_of(*launch, configs(dispatch.agent));
}

Selection Session::choose(const DispatchInfo& dispatch) noexcept {
  Selection selection;
  Launch& launch = decided(dispatch, false);
  launch.ran = true;
  selection.decision = launch.decision;
  const AgentConfigs* agent = configs(dispatch.agent);
  if (launch.in_pass) {
    selection.execution = execution_of(launch, agent);
    const std::optional<PassIndex> pass = selection.execution.pass;  // none: it reads no counters by choice
    if (!pass || selection.decision.filtered) return selection;
    // A pass beyond the plan reads nothing: no reading may be attributed to a pass that was not planned. Nor does one
    // of which it is not known whose turn it is.
    const bool known = !extras_.permute || launch.shift;
    if (agent != nullptr && known && pass->value < agent->handles.size())
      selection.config = agent->handles[selection.execution.group.value];
    return selection;
  }
  // Inside its window it is not over, whatever was told of its passes: what was decided holds for what follows.
  if (!launch.window_open) t_launches.close(dispatch.dispatch_id);
  if (agent == nullptr || agent->handles.empty() || selection.decision.filtered) return selection;
  selection.execution.group = next_group(dispatch, static_cast<std::uint32_t>(agent->handles.size()));
  selection.config = agent->handles[selection.execution.group.value];
  return selection;
}

GroupIndex Session::next_group(const DispatchInfo& dispatch, std::uint32_t groups) noexcept {
  if (!rotate_ || groups < 2) return GroupIndex{0};
  return tables_[dispatch.agent.value]->next_group(shape_of(dispatch), groups);
}

}  // namespace multipass::replay
