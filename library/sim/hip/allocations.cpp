// SPDX-License-Identifier: MIT
#include "sim/hip/allocations.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

namespace multipass_sim {

Allocations::~Allocations() {
  for (const auto& [address, block] : blocks_) {
    if (block.owned) std::free(block.allocation.address);
  }
}

void* Allocations::allocate(std::uint32_t device, std::size_t size, multipass_sim_memory_kind kind, unsigned flags,
                            std::uint64_t pool) {
  void* address = nullptr;
  if (::posix_memalign(&address, kAlignment, size) != 0) return nullptr;
  std::memset(address, kFill, size);
  const std::unique_lock lock(mutex_);
  blocks_[reinterpret_cast<std::uintptr_t>(address)] = {{address, size, kind}, device, true, flags, pool};
  return address;
}

bool Allocations::free(void* address) {
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end() || !found->second.owned) return false;
  blocks_.erase(found);
  std::free(address);
  return true;
}

std::vector<Allocations::Block> Allocations::of_device(std::uint32_t device) const {
  const std::shared_lock lock(mutex_);
  std::vector<Block> found;
  for (const auto& [address, block] : blocks_) {
    if (block.device == device) found.push_back(block);
  }
  return found;
}

void Allocations::add_variable(std::uint32_t device, void* address, std::size_t size, int kind) {
  const std::unique_lock lock(mutex_);
  blocks_.try_emplace(reinterpret_cast<std::uintptr_t>(address), Block{{address, size, kind}, device, false, 0, 0});
}

bool Allocations::register_host(std::uint32_t device, void* address, std::size_t size, unsigned flags) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::unique_lock lock(mutex_);
  const auto after = blocks_.lower_bound(begin + size);
  if (after != blocks_.begin()) {
    const auto& [other, block] = *std::prev(after);
    if (other + block.allocation.size > begin) return false;
  }
  blocks_[begin] = {{address, size, MULTIPASS_SIM_MEMORY_HOST}, device, false, flags, 0};
  return true;
}

bool Allocations::unregister_host(void* address) {
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end()) return false;
  if (found->second.owned || found->second.allocation.kind != MULTIPASS_SIM_MEMORY_HOST) return false;
  blocks_.erase(found);
  return true;
}

std::optional<Allocations::Block> Allocations::find(const void* address) const {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const std::shared_lock lock(mutex_);
  const auto after = blocks_.upper_bound(wanted);
  if (after == blocks_.begin()) return std::nullopt;
  const auto& [begin, block] = *std::prev(after);
  if (wanted - begin >= block.allocation.size) return std::nullopt;
  return block;
}

std::size_t Allocations::bytes_in_use(std::uint32_t device) const {
  std::size_t bytes = 0;
  const std::shared_lock lock(mutex_);
  for (const auto& [address, block] : blocks_) {
    const bool counts = block.owned && block.allocation.kind != MULTIPASS_SIM_MEMORY_HOST;
    if (counts && block.device == device) bytes += block.allocation.size;
  }
  return bytes;
}

std::size_t Allocations::bytes_of_pool(std::uint64_t pool) const {
  std::size_t bytes = 0;
  const std::shared_lock lock(mutex_);
  for (const auto& [address, block] : blocks_) {
    if (block.pool == pool) bytes += block.allocation.size;
  }
  return bytes;
}

void Allocations::visit(std::uint32_t device,
                        const std::function<void(const multipass_sim_allocation&)>& visitor) const {
  const std::shared_lock lock(mutex_);
  for (const auto& [address, block] : blocks_) {
    if (block.device == device) visitor(block.allocation);
  }
}

}  // namespace multipass_sim
