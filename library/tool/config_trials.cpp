// SPDX-License-Identifier: MIT
#include "tool/config_trials.hpp"

#include "sdk/configs.hpp"

namespace multipass::tool {

ConfigTrials::~ConfigTrials() {
  for (const auto& [ids, handle] : kept_) sdk::destroy_config(handle);
}

bool ConfigTrials::accepts(const Ids& ids) {
  if (kept_.contains(ids)) return true;
  if (refused_.contains(ids)) return false;
  const Result<std::uint64_t> handle = create(ids);
  if (handle) kept_.emplace(ids, *handle);
  return static_cast<bool>(handle);
}

Result<std::uint64_t> ConfigTrials::take(const Ids& ids) {
  const auto found = kept_.find(ids);
  if (found == kept_.end()) return create(ids);
  const std::uint64_t handle = found->second;
  kept_.erase(found);
  return handle;
}

std::optional<std::string> ConfigTrials::denial(const Ids& ids) {
  return accepts(ids) ? std::nullopt : refused_.at(ids);
}

Result<std::uint64_t> ConfigTrials::create(const Ids& ids) {
  ++asked_;
  bool too_many = false;
  Result<std::uint64_t> handle = sdk::create_config(agent_handle_, ids, too_many);
  if (!handle) refused_[ids] = too_many ? std::nullopt : std::optional(handle.message());
  return handle;
}

}  // namespace multipass::tool
