// SPDX-License-Identifier: MIT
//
// Coverage: which groups of counters were read of each launch shape on ONE agent, to tell at the end where there were
// fewer launches than groups. A shape of which a launch was replayed has all of them.
//
// Fed with the finished dispatches. Threads: any; one lock, held for one access of the table. Memory is bounded: shapes
// beyond kMaxShapes are counted and not followed. Without memory a launch is not followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/cache_line.hpp"
#include "model/launch_shape.hpp"

namespace multipass::assemble {

// A kernel that lacks groups, with the launches of its shapes that do.
struct Gap {
  KernelId kernel;
  std::vector<std::uint32_t> groups;  // read of none of the shapes that lack one, sorted; empty: each lacks another one
  std::uint64_t shapes = 0;           // that lack a group
  std::uint64_t launches = 0;         // of these shapes
  friend bool operator==(const Gap&, const Gap&) = default;
};

class alignas(kCacheLine) Coverage final {
 public:
  static constexpr std::size_t kMaxShapes = 4096;

  explicit Coverage(std::uint32_t groups) : groups_(groups) {}

  void add(const DispatchRecord& dispatch) noexcept;

  // By kernel id. Filtered dispatches do not count as launches.
  [[nodiscard]] std::vector<Gap> gaps() const;
  [[nodiscard]] std::uint32_t groups() const noexcept { return groups_; }
  // Launches of shapes that were not followed, those that were replayed left out.
  [[nodiscard]] std::uint64_t unfollowed() const noexcept;

 private:
  struct Entry {
    std::uint64_t launches = 0;
    std::vector<bool> read;  // by group; empty: every group was
  };

  const std::uint32_t groups_;
  mutable std::mutex mutex_;
  std::unordered_map<LaunchShape, Entry> shapes_;  // guarded by mutex_
  std::uint64_t unfollowed_ = 0;                   // guarded by mutex_
};

}  // namespace multipass::assemble
