// SPDX-License-Identifier: MIT
//
// The part of Player that the tool asks while it sets up.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "sim/play/player.hpp"
#include "sim/play/worker.hpp"
#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim::play {

namespace {

const Counter* find(const Agent& agent, std::string_view name) {
  const auto found = std::find_if(agent.counters.begin(), agent.counters.end(),
                                  [&](const Counter& counter) { return counter.name == name; });
  return found == agent.counters.end() ? nullptr : &*found;
}

// The base counters that a counter is made of.
void add_base(const Agent& agent, const Counter& counter, std::set<const Counter*>& seen) {
  if (counter.constant || !seen.insert(&counter).second || !counter.derived) return;
  std::string name;
  for (const char c : counter.expression + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      name += c;
      continue;
    }
    if (const Counter* part = find(agent, name)) add_base(agent, *part, seen);
    name.clear();
  }
}

}  // namespace

std::optional<std::size_t> Player::agent(rocprofiler_agent_id_t id) const noexcept {
  if (id.handle < kFirstAgent || id.handle - kFirstAgent >= recording_.agents.size()) return std::nullopt;
  return id.handle - kFirstAgent;
}

const Counter* Player::counter(std::uint64_t id) const noexcept {
  for (const Agent& agent : recording_.agents) {
    for (const Counter& counter : agent.counters) {
      if (counter.id == id) return &counter;
    }
  }
  return nullptr;
}

rocprofiler_status_t Player::create_config(std::size_t agent, const std::vector<std::uint64_t>& ids,
                                           std::uint64_t& handle) {
  std::vector<std::string> names;
  for (const std::uint64_t id : ids) {
    const auto& known = recording_.agents[agent].counters;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Counter& counter) { return counter.id == id; });
    if (found == known.end()) return ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT;
    names.push_back(found->name);
  }
  std::sort(names.begin(), names.end());
  const bool recorded = std::any_of(recording_.configs.begin(), recording_.configs.end(), [&](const Config& config) {
    return config.agent == agent &&
           std::includes(config.counters.begin(), config.counters.end(), names.begin(), names.end());
  });
  if (!recorded && !fits(agent, names)) return ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
  configs_.push_back({agent, std::move(names)});
  handle = configs_.size();
  return ROCPROFILER_STATUS_SUCCESS;
}

// By the registers of its blocks, as they were found when it was recorded.
bool Player::fits(std::size_t agent, const std::vector<std::string>& names) const {
  const Agent& of = recording_.agents[agent];
  const Agent* measured = &of;
  for (const Agent& other : recording_.agents) {
    if (measured->slots.empty() && other.name == of.name) measured = &other;
  }
  std::set<const Counter*> base;
  for (const std::string& name : names) add_base(of, *find(of, name), base);
  std::map<std::string_view, std::uint32_t> used;
  for (const Counter* counter : base) {
    if (!counter->derived && !counter->constant) ++used[counter->block];
  }
  return std::all_of(used.begin(), used.end(), [&](const auto& block) {
    const auto slots = measured->slots.find(std::string(block.first));
    return slots != measured->slots.end() && block.second <= slots->second;
  });
}

rocprofiler_status_t Player::trace(Tracing tracing) {
  const Kind* kind = recording_.kind(tracing.kind);
  if (kind == nullptr) {
    fatal("callback tracing kind " + std::to_string(tracing.kind) +
          " is not in the recording: the real library throws through C here");
  }
  if (kind->name == "KERNEL_REPLAY") {
    if (const int status = status_of(Call::kConfigure, "replay"); status != 0) {
      return static_cast<rocprofiler_status_t>(status);
    }
  }
  tracing_.push_back(std::move(tracing));
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Player::start(std::size_t context) {
  const bool counts = std::any_of(counting_.begin(), counting_.end(),
                                  [&](const Counting& counting) { return counting.context == context; });
  const int status = status_of(Call::kStart, counts ? "counting" : "tracing");
  started_.resize(std::max(started_.size(), contexts_));
  if (status == 0) started_[context] = true;
  return static_cast<rocprofiler_status_t>(status);
}

int Player::status_of(Call call, const char* context) const noexcept {
  for (const Event& event : recording_.events) {
    if (event.call == call && event.context == context) return event.status;
  }
  return 0;
}

}  // namespace multipass_sim::play
