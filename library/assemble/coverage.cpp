// SPDX-License-Identifier: MIT
#include "assemble/coverage.hpp"

#include <algorithm>
#include <map>

namespace multipass::assemble {

void Coverage::add(const DispatchRecord& dispatch) noexcept {
  if (groups_ < 2 || dispatch.outcome == Outcome::kFiltered) return;
  try {
    const LaunchShape shape{dispatch.kernel, dispatch.grid, dispatch.workgroup};
    const std::lock_guard lock(mutex_);
    auto found = shapes_.find(shape);
    if (found == shapes_.end()) {
      if (shapes_.size() >= kMaxShapes) {
        if (dispatch.outcome != Outcome::kReplayed) ++unfollowed_;
        return;
      }
      found = shapes_.try_emplace(shape, Entry{0, std::vector<bool>(groups_)}).first;
    }
    Entry& entry = found->second;
    ++entry.launches;
    if (entry.read.empty()) return;
    for (const PassRecord& pass : dispatch.passes)
      if (!pass.counters.empty() && pass.group.value < groups_) entry.read[pass.group.value] = true;
    if (std::find(entry.read.begin(), entry.read.end(), false) == entry.read.end()) entry.read = {};
  } catch (...) {  // out of memory
  }
}

std::vector<Gap> Coverage::gaps() const {
  std::map<KernelId, Gap> by_kernel;
  std::map<KernelId, std::vector<bool>> read;  // of any of the shapes that lack one
  const std::lock_guard lock(mutex_);
  for (const auto& [shape, entry] : shapes_) {
    if (entry.read.empty()) continue;
    Gap& gap = by_kernel[shape.kernel];
    gap.kernel = shape.kernel;
    ++gap.shapes;
    gap.launches += entry.launches;
    std::vector<bool>& any = read.try_emplace(shape.kernel, groups_).first->second;
    for (std::uint32_t group = 0; group < groups_; ++group)
      if (entry.read[group]) any[group] = true;
  }
  std::vector<Gap> gaps;
  for (auto& [kernel, gap] : by_kernel) {
    for (std::uint32_t group = 0; group < groups_; ++group)
      if (!read.at(kernel)[group]) gap.groups.push_back(group);
    gaps.push_back(std::move(gap));
  }
  return gaps;
}

std::uint64_t Coverage::unfollowed() const noexcept {
  const std::lock_guard lock(mutex_);
  return unfollowed_;
}

}  // namespace multipass::assemble
