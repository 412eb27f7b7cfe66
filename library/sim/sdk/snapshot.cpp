// SPDX-License-Identifier: MIT
#include "sim/sdk/snapshot.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace multipass_sim {

namespace {

// Not pool memory: it comes from the virtual-memory functions, which the SDK's tracker does not see.
bool is_restored(const multipass_sim_allocation& allocation) {
  return allocation.kind == MULTIPASS_SIM_MEMORY_DEVICE || allocation.kind == MULTIPASS_SIM_MEMORY_VARIABLE;
}

constexpr std::uint64_t kWorthAsking = std::uint64_t{64} << 20U;  // bytes

// What the machine has left, by /proc/meminfo; all there can be when that cannot be read.
std::uint64_t available_bytes() noexcept {
  constexpr std::uint64_t kUnknown = UINT64_MAX;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/meminfo", "re"), &std::fclose);
  if (file == nullptr) return kUnknown;
  std::array<char, 128> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), file.get()) != nullptr) {
    constexpr std::string_view kName = "MemAvailable:";
    if (std::string_view(line.data()).substr(0, kName.size()) != kName) continue;
    return std::strtoull(line.data() + kName.size(), nullptr, 10) * 1024;
  }
  return kUnknown;
}

}  // namespace

bool Snapshot::take(const multipass_sim_runtime& runtime, std::size_t device) noexcept {
  runtime.allocations(device, &Snapshot::save, this);
  if (!complete_) copies_.clear();
  return complete_;
}

void Snapshot::restore(const multipass_sim_runtime& runtime, std::size_t device, RestoreDamage damage) noexcept {
  damage_ = damage;
  runtime.allocations(device, &Snapshot::write_back, this);
}

std::uint64_t Snapshot::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [address, copy] : copies_) sum += copy.size();
  return sum;
}

bool Snapshot::has_room_for(std::uint64_t bytes) noexcept {
  unasked_ += bytes;
  if (unasked_ < kWorthAsking) return true;
  return std::exchange(unasked_, 0) <= available_bytes();
}

void Snapshot::save(void* self, const multipass_sim_allocation* allocation) noexcept {
  auto& snapshot = *static_cast<Snapshot*>(self);
  if (!is_restored(*allocation) || !snapshot.complete_) return;
  snapshot.complete_ = snapshot.has_room_for(allocation->size);
  if (!snapshot.complete_) return;
  try {
    const auto* bytes = static_cast<const std::byte*>(allocation->address);
    snapshot.copies_[allocation->address].assign(bytes, bytes + allocation->size);
  } catch (const std::bad_alloc&) {
    snapshot.complete_ = false;
  }
}

void Snapshot::write_back(void* self, const multipass_sim_allocation* allocation) noexcept {
  const auto& snapshot = *static_cast<const Snapshot*>(self);
  const auto& copies = snapshot.copies_;
  const auto found = copies.find(allocation->address);
  if (found == copies.end() || found->second.size() != allocation->size || !is_restored(*allocation)) return;
  if (found->second.empty()) return;
  const bool partial = snapshot.damage_ == RestoreDamage::kPartial;
  std::memcpy(allocation->address, found->second.data(), partial ? allocation->size / 2 : allocation->size);
  if (snapshot.damage_ == RestoreDamage::kWrong) *static_cast<std::byte*>(allocation->address) ^= std::byte{0xFF};
}

}  // namespace multipass_sim
