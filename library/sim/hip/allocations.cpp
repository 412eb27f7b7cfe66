// SPDX-License-Identifier: MIT
#include "sim/hip/allocations.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

namespace multipass_sim {

Allocations::~Allocations() {
  for (const auto& [address, block] : blocks_) {
    if (block.allocation.kind != MULTIPASS_SIM_MEMORY_VARIABLE) std::free(block.allocation.address);
  }
}

void* Allocations::allocate(std::uint32_t device, std::size_t size, multipass_sim_memory_kind kind) {
  void* address = nullptr;
  if (::posix_memalign(&address, kAlignment, size) != 0) return nullptr;
  std::memset(address, kFill, size);
  const std::unique_lock lock(mutex_);
  blocks_[reinterpret_cast<std::uintptr_t>(address)] = {{address, size, kind}, device};
  return address;
}

bool Allocations::free(void* address) {
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end() || found->second.allocation.kind == MULTIPASS_SIM_MEMORY_VARIABLE) return false;
  blocks_.erase(found);
  std::free(address);
  return true;
}

void Allocations::add_variable(std::uint32_t device, void* address, std::size_t size) {
  const std::unique_lock lock(mutex_);
  blocks_.try_emplace(reinterpret_cast<std::uintptr_t>(address),
                      Block{{address, size, MULTIPASS_SIM_MEMORY_VARIABLE}, device});
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
  visit(device, [&](const multipass_sim_allocation& allocation) {
    if (allocation.kind == MULTIPASS_SIM_MEMORY_DEVICE || allocation.kind == MULTIPASS_SIM_MEMORY_MANAGED) {
      bytes += allocation.size;
    }
  });
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
