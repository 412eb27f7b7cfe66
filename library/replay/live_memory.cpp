// SPDX-License-Identifier: MIT
#include "replay/live_memory.hpp"

#include <initializer_list>

namespace multipass::replay {
namespace {

constexpr std::size_t place(MemoryClass kind) noexcept {
  return static_cast<std::size_t>(kind);
}

constexpr std::size_t kDevice = place(MemoryClass::kDevice);

struct ClassReason {
  std::size_t kind;
  DeclineReason reason;
};
constexpr std::array kReasons{
    ClassReason{place(MemoryClass::kVirtual), DeclineReason::kVirtualMemory},
    ClassReason{place(MemoryClass::kManaged), DeclineReason::kManagedMemory},
    ClassReason{place(MemoryClass::kPool), DeclineReason::kPoolMemory},
    ClassReason{place(MemoryClass::kFineGrained), DeclineReason::kFineGrainedMemory},
    ClassReason{place(MemoryClass::kPinned), DeclineReason::kPinnedMemory},
    ClassReason{place(MemoryClass::kImported), DeclineReason::kImportedMemory},
    ClassReason{place(MemoryClass::kImported) + 1, DeclineReason::kExportedMemory},
};

static_assert(std::atomic<SafetyReasons>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace

LiveMemory::LiveMemory(std::size_t agents, std::size_t most)
    : agents_(agents), most_(most), tallies_(std::make_unique<Tally[]>(agents + 1)) {
  static_assert(kExports == place(MemoryClass::kImported) + 1);
}

void LiveMemory::allocated(const MemoryAllocated& memory) noexcept {
  const std::lock_guard lock(mutex_);
  // Advice on a part of managed memory is told of like managed memory, and is not given back by itself.
  if (memory.kind == MemoryClass::kManaged && is_part_of_managed(memory)) return;
  const Extent extent{memory.bytes, agent_of(memory.agent, memory.address),
                      serial_.fetch_add(1, std::memory_order_acq_rel) + 1};
  // HIP tells the class of what HSA has told as an agent's memory.
  if (memory.kind == MemoryClass::kFineGrained) (void)take(kDevice, memory.address, kNow);
  add(place(memory.kind), extent);  // first: its class is never absent between what was there and this
  // Memory is mapped once: what is still known there was unmapped.
  if (memory.kind == MemoryClass::kVirtual || memory.kind == MemoryClass::kImported)
    cut(place(memory.kind), memory.address, memory.bytes, kNow);
  keep(place(memory.kind), memory.address, extent);
}

void LiveMemory::ended(MemoryEnd end, std::uint64_t address, std::uint64_t bytes, std::uint64_t mark) noexcept {
  const std::lock_guard lock(mutex_);
  switch (end) {
    case MemoryEnd::kFreed: {
      std::uint64_t exported = 1;
      for (const MemoryClass kind : {MemoryClass::kDevice, MemoryClass::kFineGrained, MemoryClass::kPinned})
        if (const std::optional<Extent> gone = take(place(kind), address, mark); gone && gone->bytes > exported)
          exported = gone->bytes;
      cut(kExports, address, exported, mark);
      return;
    }
    case MemoryEnd::kReleased:
      for (const MemoryClass kind :
           {MemoryClass::kPool, MemoryClass::kManaged, MemoryClass::kFineGrained, MemoryClass::kPinned})
        (void)take(place(kind), address, mark);
      return;
    case MemoryEnd::kUnmapped:
      for (const std::size_t kind : {place(MemoryClass::kVirtual), place(MemoryClass::kImported), kExports})
        cut(kind, address, bytes, mark);
      return;
    case MemoryEnd::kDetached:
      (void)take(place(MemoryClass::kImported), address, mark);
      return;
  }
}

void LiveMemory::exported(std::uint64_t address) noexcept {
  const std::lock_guard lock(mutex_);
  const Extent extent{1, agent_of(std::nullopt, address), serial_.fetch_add(1, std::memory_order_acq_rel) + 1};
  add(kExports, extent);
  keep(kExports, address, extent);
}

std::uint64_t LiveMemory::footprint(AgentIndex agent) const noexcept {
  return bytes(kDevice, agent);
}

std::uint64_t LiveMemory::bytes_of(DeclineReason reason, AgentIndex agent) const noexcept {
  for (const ClassReason& each : kReasons)
    if (each.reason == reason && each.kind != kExports) return bytes(each.kind, agent);
  return 0;
}

std::uint64_t LiveMemory::bytes(std::size_t kind, AgentIndex agent) const noexcept {
  std::uint64_t sum = tallies_[agents_].bytes[kind].load(std::memory_order_relaxed);
  if (agent.value < agents_) sum += tallies_[agent.value].bytes[kind].load(std::memory_order_relaxed);
  return sum;
}

SafetyReasons LiveMemory::present(AgentIndex agent) const noexcept {
  SafetyReasons present = tallies_[agents_].present.load(std::memory_order_acquire);
  if (agent.value >= agents_) return present;
  const SafetyReasons own = tallies_[agent.value].present.load(std::memory_order_acquire);
  if (!own.any()) return present;
  for (const ClassReason& each : kReasons)
    if (own.has(each.reason)) present.add(each.reason);
  return present;
}

std::optional<AgentIndex> LiveMemory::agent_of(std::optional<AgentIndex> told, std::uint64_t address) const noexcept {
  if (told && told->value < agents_) return told;
  for (const MemoryClass kind :
       {MemoryClass::kDevice, MemoryClass::kFineGrained, MemoryClass::kVirtual, MemoryClass::kPool})
    if (const Extent* around = extents_[place(kind)].containing(address).second) return around->agent;
  return std::nullopt;
}

bool LiveMemory::is_part_of_managed(const MemoryAllocated& memory) const noexcept {
  const auto [start, around] = extents_[place(MemoryClass::kManaged)].containing(memory.address);
  return around != nullptr && around->agent == memory.agent &&
         end_of(memory.address, memory.bytes) <= end_of(start, around->bytes);
}

LiveMemory::Tally& LiveMemory::tally(std::optional<AgentIndex> agent) noexcept {
  return tallies_[agent ? agent->value : agents_];
}

std::size_t LiveMemory::kept() const noexcept {
  std::size_t sum = 0;
  for (const Extents& extents : extents_) sum += extents.size();
  return sum;
}

void LiveMemory::add(std::size_t kind, const Extent& extent) noexcept {
  Tally& to = tally(extent.agent);
  ++to.extents[kind];
  to.bytes[kind].fetch_add(extent.bytes, std::memory_order_relaxed);
  publish(to);
}

void LiveMemory::remove(std::size_t kind, const Extent& extent) noexcept {
  Tally& from = tally(extent.agent);
  --from.extents[kind];
  from.bytes[kind].fetch_sub(extent.bytes, std::memory_order_relaxed);
  publish(from);
}

void LiveMemory::keep(std::size_t kind, std::uint64_t address, const Extent& extent) noexcept {
  try {
    if (kept() < most_ || extents_[kind].at(address) != nullptr) {
      if (const std::optional<Extent> replaced = extents_[kind].put(address, extent)) remove(kind, *replaced);
      return;
    }
  } catch (...) {  // no memory: as beyond the limit
  }
  unkept_.fetch_add(1, std::memory_order_relaxed);
}

std::optional<Extent> LiveMemory::take(std::size_t kind, std::uint64_t address, std::uint64_t mark) noexcept {
  const std::optional<Extent> gone = extents_[kind].take(address, mark);
  if (gone) remove(kind, *gone);
  return gone;
}

void LiveMemory::cut(std::size_t kind, std::uint64_t address, std::uint64_t bytes, std::uint64_t mark) noexcept {
  try {
    const Extents::Cut cut = extents_[kind].cut(address, bytes, mark);
    for (const Extents::Piece& piece : cut.kept) add(kind, piece.second);
    for (const Extents::Piece& piece : cut.removed) remove(kind, piece.second);
  } catch (...) {  // no memory: it stays
    unkept_.fetch_add(1, std::memory_order_relaxed);
  }
}

void LiveMemory::publish(Tally& tally) noexcept {
  SafetyReasons present;
  for (const ClassReason& each : kReasons)
    if (tally.extents[each.kind] != 0) present.add(each.reason);
  tally.present.store(present, std::memory_order_release);
}

}  // namespace multipass::replay
