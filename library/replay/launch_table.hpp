// SPDX-License-Identifier: MIT
//
// LaunchTable: what one agent remembers of the launches it has seen: whose turn it is among the groups, how many were
// replayed, and which kernels never are.
//
// Owned by the Session, one for each agent, so that agents never wait for each other. Threads: any; one lock, held for
// one access of the table and never while the SDK is called. Memory is bounded: kMaxShapes launch shapes have an entry
// of their own, of further ones those of a kernel share one, and of kernels beyond kMaxKernels all share one. Who
// shares an entry takes turns together, so a shape may then miss a group however often it is launched. A shape that has
// its entry costs a look-up and no allocation. A limit of replays holds for all that share an entry together. Without
// memory it is group 0, and replayed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "base/cache_line.hpp"
#include "model/launch_shape.hpp"

namespace multipass::replay {

class alignas(kCacheLine) LaunchTable final {
 public:
  static constexpr std::size_t kMaxShapes = 4096;
  static constexpr std::size_t kMaxKernels = 4096;

  // The group that this launch reads, of `groups`, which is never 0: the next one of the order in rotation.hpp.
  [[nodiscard]] GroupIndex next_group(const LaunchShape& shape, std::uint32_t groups) noexcept;

  // By how many groups the passes of the next replayed launch are shifted: 0, 1, ... `groups` - 1, 0, ...
  [[nodiscard]] std::uint32_t next_shift(const LaunchShape& shape, std::uint32_t groups) noexcept;

  // Whether one more launch of the shape may be replayed, of `limit` in all; it then counts, also while it is not sure
  // that it comes about.
  [[nodiscard]] bool take_replay(const LaunchShape& shape, std::uint64_t limit) noexcept;
  // One that was taken and did not come about.
  void give_back_replay(const LaunchShape& shape) noexcept;
  // One that was taken and ended before its last pass. The first kMostEndedEarly of a shape are given back: what cut
  // them short may not come again; further ones count, so that a shape is not begun for ever.
  static constexpr std::uint32_t kMostEndedEarly = 3;
  void end_replay_early(const LaunchShape& shape) noexcept;
  // How many of `limit` are still to be had.
  [[nodiscard]] std::uint64_t replays_left(const LaunchShape& shape, std::uint64_t limit) const noexcept;

  // Kernels that are never replayed: as many as are loaded.
  void never_replay(KernelId kernel);
  // It was unloaded and is not launched again.
  void forget(KernelId kernel) noexcept;
  [[nodiscard]] bool is_never_replayed(KernelId kernel) const noexcept;

  // Entries, for tests.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct Entry {
    std::uint64_t turn = 0;  // of the rotation
    std::uint32_t next_shift = 0;
    std::uint64_t replays = 0;
    std::uint32_t ended_early = 0;
  };
  Entry& entry(const LaunchShape& shape);

  mutable std::mutex mutex_;
  std::unordered_map<LaunchShape, Entry> entries_;  // guarded by mutex_
  std::unordered_set<KernelId> never_replayed_;     // guarded by mutex_
  std::atomic<bool> any_never_replayed_{false};     // spares the lock where there is none
};

}  // namespace multipass::replay
