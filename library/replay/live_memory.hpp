// SPDX-License-Identifier: MIT
//
// LiveMemory: what the application has of memory that GPUs see, as far as a replay is concerned: how many bytes a
// snapshot of an agent copies, and whether there is memory that it does not restore or that others use.
//
// Owned by the Pipeline. Written on the threads that allocate and free, under one lock that no callback of a dispatch
// takes; present(), footprint() and bytes_of() are atomic loads, for any thread at any time; the launch path asks the
// first two. An agent that is not told is that of the known memory around the address; else it is all of them. Memory
// is bounded: of more than kMaxExtents extents in all, and when there is no memory, the further ones are counted and
// not kept, so that they count for ever: their class stays present and their bytes stay in the footprint. Never fails.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/cache_line.hpp"
#include "model/dispatch.hpp"
#include "model/memory.hpp"
#include "replay/extents.hpp"

namespace multipass::replay {

class LiveMemory final {
 public:
  static constexpr std::size_t kMaxExtents = 262'144;
  static constexpr std::uint64_t kNow = ~std::uint64_t{0};

  // `agents`: how many there are, CPUs too.
  explicit LiveMemory(std::size_t agents, std::size_t most = kMaxExtents);

  // A call that may end memory begins. Another thread may be given the same address before the end of the call is
  // told: what is told of after this mark is not ended by it.
  [[nodiscard]] std::uint64_t mark() const noexcept { return serial_.load(std::memory_order_acquire); }

  void allocated(const MemoryAllocated& memory) noexcept;
  void ended(MemoryEnd end, std::uint64_t address, std::uint64_t bytes, std::uint64_t mark = kNow) noexcept;
  // Until memory at the address, or around it, is freed or unmapped.
  void exported(std::uint64_t address) noexcept;

  // Bytes of coarse-grained memory.
  [[nodiscard]] std::uint64_t footprint(AgentIndex agent) const noexcept;
  // Why a replay on the agent is not safe now, as far as its memory goes.
  [[nodiscard]] SafetyReasons present(AgentIndex agent) const noexcept;
  // Bytes of the memory that is such a reason; 0: none, or how much is not known.
  [[nodiscard]] std::uint64_t bytes_of(DeclineReason reason, AgentIndex agent) const noexcept;

  // Extents that could not be kept, for tests and messages.
  [[nodiscard]] std::uint64_t unkept() const noexcept { return unkept_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kClasses = 8;  // those of MemoryClass, and exports
  static constexpr std::size_t kExports = kClasses - 1;
  // What holds for one agent, or for all of them.
  struct alignas(kCacheLine) Tally {
    std::array<std::uint64_t, kClasses> extents{};             // guarded by mutex_
    std::array<std::atomic<std::uint64_t>, kClasses> bytes{};  // written under mutex_, as the next
    std::atomic<SafetyReasons> present{};
  };

  [[nodiscard]] std::optional<AgentIndex> agent_of(std::optional<AgentIndex> told,
                                                   std::uint64_t address) const noexcept;
  [[nodiscard]] bool is_part_of_managed(const MemoryAllocated& memory) const noexcept;
  [[nodiscard]] std::uint64_t bytes(std::size_t kind, AgentIndex agent) const noexcept;
  [[nodiscard]] Tally& tally(std::optional<AgentIndex> agent) noexcept;
  [[nodiscard]] std::size_t kept() const noexcept;
  void add(std::size_t kind, const Extent& extent) noexcept;
  void remove(std::size_t kind, const Extent& extent) noexcept;
  // One that was added; if it cannot be kept, it counts for ever.
  void keep(std::size_t kind, std::uint64_t address, const Extent& extent) noexcept;
  std::optional<Extent> take(std::size_t kind, std::uint64_t address, std::uint64_t mark) noexcept;
  void cut(std::size_t kind, std::uint64_t address, std::uint64_t bytes, std::uint64_t mark) noexcept;
  static void publish(Tally& tally) noexcept;

  const std::size_t agents_;
  const std::size_t most_;
  std::atomic<std::uint64_t> serial_{0};  // written under mutex_
  std::atomic<std::uint64_t> unkept_{0};
  std::mutex mutex_;
  std::array<Extents, kClasses> extents_;   // guarded by mutex_
  const std::unique_ptr<Tally[]> tallies_;  // by AgentIndex, and one behind them for all agents
};

}  // namespace multipass::replay
