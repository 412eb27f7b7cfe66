// SPDX-License-Identifier: MIT
#include "tool/wishes.hpp"

#include <utility>

namespace multipass::tool {

std::optional<DeclineReason> why_no_replay(const RunConfig& config, const sdk::SdkIdentity& identity) {
  if (config.replay == ReplayMode::kRotate) return DeclineReason::kRotateMode;
  if (!identity.replay_kind) return DeclineReason::kNoKernelReplay;
  return std::nullopt;
}

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
                          {*std::move(list), config.limits.max_replays.value_or(0)},
                          replays ? config.extras : ReplayExtras{},
                          *std::move(regions)};
}

}  // namespace multipass::tool
