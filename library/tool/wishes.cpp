// SPDX-License-Identifier: MIT
#include "tool/wishes.hpp"

#include <utility>

#include "sdk/clock.hpp"
#include "sdk/services.hpp"
#include "tool/rank_counts.hpp"

namespace multipass::tool {

std::optional<DeclineReason> why_no_replay(const RunConfig& config, const sdk::SdkIdentity& identity) {
  if (config.replay == ReplayMode::kRotate) return DeclineReason::kRotateMode;
  if (!identity.replay_kind) return DeclineReason::kNoKernelReplay;
  return std::nullopt;
}

namespace {

// What is not said is that of the mode: without a limit where replay was asked for by name.
replay::ReplayLimits limits_of(const RunConfig& config, replay::NoReplayList list) {
  const ReplayLimitsConfig& said = config.limits;
  const bool careful = config.replay == ReplayMode::kAuto;
  replay::ReplayLimits limits;
  limits.no_replay = std::move(list);
  limits.max_replays = said.max_replays.value_or(careful ? kDefaultMaxReplays : 0);
  limits.admission.budget = said.budget.value_or(careful ? kDefaultReplayBudget : ReplayBudget{});
  limits.admission.lifted = said.unsafe;
  limits.admission.host_memory = said.host_memory;
  return limits;
}

}  // namespace

Result<Pipeline::Wishes> wishes_of(const RunConfig& config, std::size_t agents, std::optional<DeclineReason> no_replay,
                                   bool replays) {
  auto filter = replay::KernelFilter::create(config.filter, agents);
  if (!filter) return filter.status();
  auto list = replay::NoReplayList::create(config.limits.no_replay, !config.limits.everything);
  if (!list) return list.status();
  auto regions = replay::Regions::create(config.regions);
  if (!regions) return regions.status();
  return Pipeline::Wishes{config.replay,
                          no_replay,
                          *std::move(filter),
                          limits_of(config, *std::move(list)),
                          replays ? config.extras : ReplayExtras{},
                          *std::move(regions),
                          sdk::now_ns,
                          rank_counts()};
}

}  // namespace multipass::tool
