// SPDX-License-Identifier: MIT
//
// Collectives: whether this process may take part in operations for which processes wait for each other: a library for
// them is loaded, and the job has several ranks. A replay keeps one of them away while the others wait.
//
// Owned by the Pipeline. look() is called where code is loaded and now and then; it does nothing when no library was
// loaded since the last time, and else walks the list of the loader, under the loader's lock of that list. Threads:
// any. in_use() is an atomic load. What was seen once stays. Never fails: a list that cannot be walked has none.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace multipass::replay {

// What the launcher of a job says: 1 and 1 without one.
struct RankCounts {
  std::uint32_t all = 1;
  std::uint32_t here = 1;  // on this machine
  friend bool operator==(const RankCounts&, const RankCounts&) = default;
};

// A library of collectives by its file name: RCCL, NCCL, rocSHMEM, MSCCL, an MPI.
[[nodiscard]] bool is_of_collectives(std::string_view path) noexcept;

class Collectives final {
 public:
  explicit Collectives(RankCounts ranks) noexcept : several_(ranks.all > 1) {}

  // True: they are in use, and were not the last time.
  bool look() noexcept;
  [[nodiscard]] bool in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }

 private:
  static constexpr unsigned long long kNever = ~0ULL;

  const bool several_;
  std::atomic<unsigned long long> seen_loads_{kNever};  // the loader's number of libraries loaded so far
  std::atomic<bool> in_use_{false};
};

}  // namespace multipass::replay
