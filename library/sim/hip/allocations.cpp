// SPDX-License-Identifier: MIT
#include "sim/hip/allocations.hpp"

#include <sys/mman.h>

#include <iterator>
#include <mutex>
#include <utility>

namespace multipass_sim {

Allocations::~Allocations() {
  for (const auto& [address, block] : blocks_) {
    if (block.owned || block.kept) unmap_pages(block.allocation.address, block.allocation.size);
  }
}

void* Allocations::allocate(std::uint32_t device, std::size_t size, multipass_sim_memory_kind kind, unsigned flags,
                            std::uint64_t pool) {
  void* const address = map_pages(size);
  if (address == nullptr) return nullptr;
  const std::unique_lock lock(mutex_);
  blocks_[reinterpret_cast<std::uintptr_t>(address)] = {{address, size, kind}, device, true, flags, pool};
  return address;
}

bool Allocations::free(void* address) {
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end() || (!found->second.owned && !found->second.kept)) return false;
  const std::size_t size = found->second.allocation.size;
  blocks_.erase(found);
  shared_.erase(reinterpret_cast<std::uintptr_t>(address));
  unmap_pages(address, size);
  return true;
}

bool Allocations::keep(void* address) {
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end() || !found->second.owned) return false;
  found->second.owned = false;
  found->second.kept = true;
  return true;
}

void* Allocations::take_kept(std::uint64_t pool, std::size_t size) {
  const std::unique_lock lock(mutex_);
  for (auto& [address, block] : blocks_) {
    if (!block.kept || block.pool != pool || block.allocation.size != size) continue;
    block.owned = true;
    block.kept = false;
    return block.allocation.address;
  }
  return nullptr;
}

std::vector<Allocations::Block> Allocations::kept_by(std::uint64_t pool) const {
  const std::shared_lock lock(mutex_);
  std::vector<Block> found;
  for (const auto& [address, block] : blocks_) {
    if (block.kept && block.pool == pool) found.push_back(block);
  }
  return found;
}

int Allocations::share(void* address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(begin);
  if (found == blocks_.end() || !found->second.owned) return -1;
  if (const auto shared = shared_.find(begin); shared != shared_.end()) return shared->second.descriptor();
  const std::size_t size = found->second.allocation.size;
  MemoryFile file = MemoryFile::make(size, false);
  if (!file.valid() || !file.fill_from(address, size) || file.map(address, size, PROT_READ | PROT_WRITE) == nullptr) {
    return -1;
  }
  return shared_.emplace(begin, std::move(file)).first->second.descriptor();
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

void Allocations::remove(void* address) {
  const std::unique_lock lock(mutex_);
  blocks_.erase(reinterpret_cast<std::uintptr_t>(address));
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
    const bool counts = (block.owned || block.kept) && block.allocation.kind != MULTIPASS_SIM_MEMORY_HOST;
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
