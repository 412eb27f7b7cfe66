// SPDX-License-Identifier: MIT
#include "replay/session.hpp"

namespace multipass::replay {
namespace {

// The pass this thread is in. Dispatch ids begin at 1, so 0 is no dispatch.
struct Slot {
  std::uint64_t dispatch = 0;
  std::uint32_t pass = 0;
};
constinit thread_local Slot t_slot;

// What the filter said of the dispatch that this thread launches.
struct Decision {
  std::uint64_t dispatch = 0;
  std::optional<FilterReason> filtered;
};
constinit thread_local Decision t_decision;

}  // namespace

Session::Session(std::vector<AgentConfigs> agents, bool rotate, KernelFilter filter)
    : agents_(std::move(agents)), rotate_(rotate), filter_(std::move(filter)) {
  for (std::size_t i = 0; i < agents_.size(); ++i) rotations_.push_back(std::make_unique<Rotation>());
}

const AgentConfigs* Session::configs(AgentIndex agent) const noexcept {
  return agent.value < agents_.size() ? &agents_[agent.value] : nullptr;
}

std::optional<FilterReason> Session::filtered(const DispatchInfo& dispatch) noexcept {
  if (!filter_.active() || current_pass(dispatch.dispatch_id)) return std::nullopt;
  if (t_decision.dispatch != dispatch.dispatch_id.value)
    t_decision = {dispatch.dispatch_id.value, filter_.decide(dispatch)};
  return t_decision.filtered;
}

std::uint64_t Session::config_enter(const DispatchInfo& dispatch) noexcept {
  const AgentConfigs* agent = configs(dispatch.agent);
  return agent != nullptr && agent->handles.size() > 1 ? agent->handles.size() : 1;
}

void Session::config_exit(const DispatchInfo& dispatch) noexcept {
  pass_exit(dispatch);  // of a loop that was abandoned
}

void Session::pass_enter(const DispatchInfo& dispatch, PassIndex pass) noexcept {
  t_slot = {dispatch.dispatch_id.value, pass.value};
}

void Session::pass_exit(const DispatchInfo& dispatch) noexcept {
  // A launch from inside a callback has a window of its own; its end leaves the outer pass alone.
  if (t_slot.dispatch == dispatch.dispatch_id.value) t_slot = {};
}

std::optional<PassIndex> Session::current_pass(DispatchId dispatch) const noexcept {
  // The id is compared, so that a launch from inside a callback is not taken for a pass of the outer dispatch.
  if (t_slot.dispatch == 0 || t_slot.dispatch != dispatch.value) return std::nullopt;
  return PassIndex{t_slot.pass};
}

Selection Session::select(const DispatchInfo& dispatch) noexcept {
  const AgentConfigs* agent = configs(dispatch.agent);
  if (agent == nullptr || agent->handles.empty()) return {};
  if (const auto pass = current_pass(dispatch.dispatch_id)) {
    // A pass beyond the plan reads nothing: no reading may be attributed to a pass that was not planned.
    if (pass->value >= agent->handles.size()) return {0, {pass, GroupIndex{pass->value}}};
    return {agent->handles[pass->value], {pass, GroupIndex{pass->value}}};
  }
  const GroupIndex group = next_group(dispatch, static_cast<std::uint32_t>(agent->handles.size()));
  return {agent->handles[group.value], {std::nullopt, group}};
}

GroupIndex Session::next_group(const DispatchInfo& dispatch, std::uint32_t groups) noexcept {
  if (!rotate_ || groups < 2) return GroupIndex{0};
  try {
    Rotation& rotation = *rotations_[dispatch.agent.value];
    const std::lock_guard lock(rotation.mutex);
    std::uint32_t& next = rotation.next[dispatch.kernel];
    const GroupIndex group{next};
    next = (next + 1) % groups;
    return group;
  } catch (...) {  // out of memory
    return GroupIndex{0};
  }
}

}  // namespace multipass::replay
