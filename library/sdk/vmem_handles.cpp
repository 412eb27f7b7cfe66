// SPDX-License-Identifier: MIT
#include "sdk/vmem_handles.hpp"

namespace multipass::sdk {

void VmemHandles::created(std::uint64_t handle, const Memory& memory) noexcept {
  if (handle == 0) return;
  try {
    const std::lock_guard lock(mutex_);
    if (const auto found = handles_.find(handle); found != handles_.end()) {
      if (found->second == memory) return;
      found->second = found->second.owner == Owner::kOther ? memory : Memory{};
    } else if (handles_.size() < kMost) {
      handles_.emplace(handle, memory);
    }
  } catch (...) {  // out of memory: nothing is known of it
  }
}

void VmemHandles::released(std::uint64_t handle) noexcept {
  const std::lock_guard lock(mutex_);
  if (const auto found = handles_.find(handle); found != handles_.end() && found->second.owner != Owner::kOther)
    handles_.erase(found);
}

void VmemHandles::imported(std::uint64_t handle) noexcept {
  if (handle == 0) return;
  try {
    const std::lock_guard lock(mutex_);
    if (handles_.size() < kMost || handles_.contains(handle)) handles_[handle] = Memory{Owner::kOther, {}};
  } catch (...) {  // out of memory: nothing is known of it
  }
}

VmemHandles::Memory VmemHandles::of(std::uint64_t handle) const noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = handles_.find(handle);
  return found == handles_.end() ? Memory{} : found->second;
}

}  // namespace multipass::sdk
