// SPDX-License-Identifier: MIT
#include "replay/kernel_filter.hpp"

namespace multipass::replay {
Result<KernelFilter> KernelFilter::create(const FilterConfig& config, std::size_t agents) {
  KernelFilter filter;
  if (config.kernel_include.empty() && config.kernel_exclude.empty() && config.range.empty()) return filter;
  auto include = Pattern::of_setting("kernel-include", config.kernel_include);
  if (!include) return include.status();
  auto exclude = Pattern::of_setting("kernel-exclude", config.kernel_exclude);
  if (!exclude) return exclude.status();
  filter.include_ = *std::move(include);
  filter.exclude_ = *std::move(exclude);
  if (!config.range.empty()) {
    Result<LaunchRanges> ranges = LaunchRanges::parse(config.range);
    if (!ranges) return Status::error("range '" + config.range + "': " + ranges.message() + "; write 1, 1-3 or 1,4-6");
    filter.ranges_ = *std::move(ranges);
  }
  for (std::size_t i = 0; i < agents; ++i) filter.agents_.push_back(std::make_unique<Agent>());
  return filter;
}

bool KernelFilter::know(KernelId kernel, std::string_view demangled) noexcept {
  if (agents_.empty()) return true;
  const std::optional<bool> included = include_ ? include_->found_in(demangled) : true;
  const std::optional<bool> excluded = exclude_ ? exclude_->found_in(demangled) : false;
  std::optional<FilterReason> by_name;
  if (excluded.value_or(false)) by_name = FilterReason::kExcluded;
  if (!included.value_or(false)) by_name = FilterReason::kNotIncluded;
  try {
    for (const auto& agent : agents_) {
      const std::lock_guard lock(agent->mutex);
      Kernel& entry = agent->kernels[kernel];
      if (!entry.known && entry.launches != 0) --agent->unannounced;
      entry.by_name = by_name;
      entry.known = true;
    }
  } catch (...) {  // out of memory: decide() takes it for one without a name
  }
  return included.has_value() && excluded.has_value();
}

void KernelFilter::forget(KernelId kernel) noexcept {
  try {
    for (const auto& agent : agents_) {
      const std::lock_guard lock(agent->mutex);
      const auto known = agent->kernels.find(kernel);
      if (known == agent->kernels.end()) continue;
      if (!known->second.known) --agent->unannounced;
      agent->kernels.erase(known);
    }
  } catch (...) {  // a lock is broken: it stays
  }
}

std::optional<FilterReason> KernelFilter::decide(const DispatchInfo& dispatch) noexcept {
  if (regions_)
    if (const std::optional<FilterReason> outside = regions_->decide(dispatch.thread_id)) return outside;
  if (dispatch.agent.value >= agents_.size()) return std::nullopt;
  try {
    Agent& agent = *agents_[dispatch.agent.value];
    const std::lock_guard lock(agent.mutex);
    auto found = agent.kernels.find(dispatch.kernel);
    if (found == agent.kernels.end()) {
      if (include_) return FilterReason::kNotIncluded;  // its name was never told
      if (agent.unannounced >= kMaxUnannounced) return without_count();
      found = agent.kernels.try_emplace(dispatch.kernel).first;
      ++agent.unannounced;
    }
    Kernel& kernel = found->second;
    ++kernel.launches;
    if (kernel.by_name) return kernel.by_name;
    if (!ranges_.contains(kernel.launches)) return FilterReason::kOutOfRange;
  } catch (...) {  // out of memory
  }
  return std::nullopt;
}

}  // namespace multipass::replay
