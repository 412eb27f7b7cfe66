// SPDX-License-Identifier: MIT
#include "replay/launch_table.hpp"

#include <algorithm>
#include <limits>

#include "replay/rotation.hpp"

namespace multipass::replay {
namespace {

// Stand-ins of those that share an entry. A work-group of a launch is never empty.
constexpr LaunchShape any_shape(KernelId kernel) noexcept {
  return {kernel, {0, 0, 0}, {0, 0, 0}};
}
constexpr KernelId kAnyKernel{std::numeric_limits<std::uint64_t>::max()};

}  // namespace

GroupIndex LaunchTable::next_group(const LaunchShape& shape, std::uint32_t groups) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    std::uint64_t& turn = entry(shape).turn;
    const GroupIndex group = group_of_turn(turn, groups);
    turn = (turn + 1) % turns_of(groups);
    return group;
  } catch (...) {  // out of memory
    return GroupIndex{0};
  }
}

std::uint32_t LaunchTable::next_shift(const LaunchShape& shape, std::uint32_t groups) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    std::uint32_t& next = entry(shape).next_shift;
    const std::uint32_t shift = next % groups;
    next = (shift + 1) % groups;
    return shift;
  } catch (...) {  // out of memory
    return 0;
  }
}

bool LaunchTable::take_replay(const LaunchShape& shape, std::uint64_t limit) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    std::uint64_t& replays = entry(shape).replays;
    if (replays >= limit) return false;
    ++replays;
  } catch (...) {  // out of memory
  }
  return true;
}

void LaunchTable::give_back_replay(const LaunchShape& shape) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (std::uint64_t& replays = entry(shape).replays; replays > 0) --replays;
  } catch (...) {  // out of memory
  }
}

void LaunchTable::end_replay_early(const LaunchShape& shape) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    Entry& of_shape = entry(shape);
    if (of_shape.ended_early++ < kMostEndedEarly && of_shape.replays > 0) --of_shape.replays;
  } catch (...) {  // out of memory
  }
}

std::uint64_t LaunchTable::replays_left(const LaunchShape& shape, std::uint64_t limit) const noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find(shape);
    if (known == entries_.end()) return limit;
    return limit - std::min(limit, known->second.replays);
  } catch (...) {  // the lock is broken
    return 0;
  }
}

void LaunchTable::never_replay(KernelId kernel) {
  const std::lock_guard lock(mutex_);
  never_replayed_.insert(kernel);
  any_never_replayed_.store(true, std::memory_order_release);
}

void LaunchTable::forget(KernelId kernel) noexcept {
  if (!any_never_replayed_.load(std::memory_order_acquire)) return;
  try {
    const std::lock_guard lock(mutex_);
    never_replayed_.erase(kernel);
  } catch (...) {  // the lock is broken: it stays
  }
}

bool LaunchTable::is_never_replayed(KernelId kernel) const noexcept {
  if (!any_never_replayed_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  return never_replayed_.contains(kernel);
}

LaunchTable::Entry& LaunchTable::entry(const LaunchShape& shape) {
  if (const auto known = entries_.find(shape); known != entries_.end()) return known->second;
  if (entries_.size() < kMaxShapes) return entries_[shape];
  const LaunchShape shared = any_shape(shape.kernel);
  if (const auto known = entries_.find(shared); known != entries_.end()) return known->second;
  return entries_[entries_.size() < kMaxShapes + kMaxKernels ? shared : any_shape(kAnyKernel)];
}

std::size_t LaunchTable::size() const noexcept {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace multipass::replay
