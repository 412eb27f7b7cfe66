// SPDX-License-Identifier: MIT
#include "sim/hip/pools.hpp"

#include <algorithm>
#include <cstring>

namespace multipass_sim {

Pools::Pools(std::size_t devices, Allocations& allocations) : allocations_(allocations) {
  for (std::uint32_t device = 0; device < devices; ++device) {
    pools_[++last_number_].device = device;
    current_[device] = last_number_;
  }
}

hipMemPool_t Pools::handle_of(std::uint64_t number) noexcept {
  return reinterpret_cast<hipMemPool_t>(number);  // NOLINT(performance-no-int-to-ptr): a number in a handle
}

Pools::Pool* Pools::find(hipMemPool_t pool) {
  const auto found = pools_.find(reinterpret_cast<std::uint64_t>(pool));
  return found == pools_.end() ? nullptr : &found->second;
}

hipMemPool_t Pools::default_of(std::uint32_t device) {
  return handle_of(std::uint64_t{device} + 1);
}

hipMemPool_t Pools::current_of(std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  return handle_of(current_[device]);
}

bool Pools::set_current(std::uint32_t device, hipMemPool_t pool) {
  const std::lock_guard lock(mutex_);
  const Pool* const found = find(pool);
  if (found == nullptr || found->device != device) return false;
  current_[device] = reinterpret_cast<std::uint64_t>(pool);
  return true;
}

hipMemPool_t Pools::create(std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  pools_[++last_number_].device = device;
  return handle_of(last_number_);
}

bool Pools::destroy(hipMemPool_t pool) {
  const std::lock_guard lock(mutex_);
  const Pool* const found = find(pool);
  if (found == nullptr || pool == default_of(found->device)) return false;
  std::uint64_t& current = current_[found->device];
  if (current == reinterpret_cast<std::uint64_t>(pool)) current = std::uint64_t{found->device} + 1;
  pools_.erase(reinterpret_cast<std::uint64_t>(pool));
  return true;
}

bool Pools::is_known(hipMemPool_t pool) {
  const std::lock_guard lock(mutex_);
  return find(pool) != nullptr;
}

std::optional<std::uint32_t> Pools::device_of(hipMemPool_t pool) {
  const std::lock_guard lock(mutex_);
  const Pool* const found = find(pool);
  return found == nullptr ? std::nullopt : std::optional(found->device);
}

void Pools::note_use(hipMemPool_t pool) {
  const std::lock_guard lock(mutex_);
  Pool* const found = find(pool);
  if (found == nullptr) return;
  found->high = std::max(found->high, used_by(pool));
  found->reserved_high = std::max(found->reserved_high, reserved_by(pool));
}

bool Pools::keeps(std::uint64_t pool) {
  const std::lock_guard lock(mutex_);
  const auto found = pools_.find(pool);
  return found != pools_.end() && allocations_.bytes_of_pool(pool) <= found->second.release_threshold;
}

std::uint64_t Pools::reserved_by(hipMemPool_t pool) const {
  return allocations_.bytes_of_pool(reinterpret_cast<std::uint64_t>(pool));
}

std::uint64_t Pools::used_by(hipMemPool_t pool) const {
  std::uint64_t kept = 0;
  for (const auto& block : allocations_.kept_by(reinterpret_cast<std::uint64_t>(pool))) kept += block.allocation.size;
  return reserved_by(pool) - kept;
}

hipError_t Pools::get(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  const std::lock_guard lock(mutex_);
  const Pool* const found = find(pool);
  if (found == nullptr || value == nullptr) return hipErrorInvalidValue;
  std::uint64_t bytes = 0;
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
      std::memcpy(value, &found->reuse[attribute - hipMemPoolReuseFollowEventDependencies], sizeof(int));
      return hipSuccess;
    case hipMemPoolAttrReleaseThreshold:
      bytes = found->release_threshold;
      break;
    case hipMemPoolAttrReservedMemCurrent:
      bytes = reserved_by(pool);
      break;
    case hipMemPoolAttrUsedMemCurrent:
      bytes = used_by(pool);
      break;
    case hipMemPoolAttrReservedMemHigh:
      bytes = found->reserved_high;
      break;
    case hipMemPoolAttrUsedMemHigh:
      bytes = found->high;
      break;
    default:
      return hipErrorInvalidValue;
  }
  std::memcpy(value, &bytes, sizeof(bytes));
  return hipSuccess;
}

hipError_t Pools::set(hipMemPool_t pool, hipMemPoolAttr attribute, const void* value) {
  const std::lock_guard lock(mutex_);
  Pool* const found = find(pool);
  if (found == nullptr || value == nullptr) return hipErrorInvalidValue;
  std::uint64_t bytes = 0;
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
      std::memcpy(&found->reuse[attribute - hipMemPoolReuseFollowEventDependencies], value, sizeof(int));
      return hipSuccess;
    case hipMemPoolAttrReleaseThreshold:
      std::memcpy(&found->release_threshold, value, sizeof(found->release_threshold));
      return hipSuccess;
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemHigh:
      std::memcpy(&bytes, value, sizeof(bytes));
      if (bytes != 0) return hipErrorInvalidValue;
      if (attribute == hipMemPoolAttrUsedMemHigh) found->high = used_by(pool);
      if (attribute == hipMemPoolAttrReservedMemHigh) found->reserved_high = reserved_by(pool);
      return hipSuccess;
    default:
      return hipErrorInvalidValue;
  }
}

}  // namespace multipass_sim
