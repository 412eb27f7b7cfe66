// SPDX-License-Identifier: MIT
//
// WindowBudget: the wall time that replay windows have taken in this process, and what of the budget is left.
//
// Spent is the time in which at least one window was open: windows of several agents at once cost the application their
// time once. A window is admitted for what it is projected to take, and that stays reserved while it is open, beside
// what it has taken so far: of open windows at most that much too little is given out, never too much.
//
// Owned by the Admission. Threads: any, at once, of all agents: two atomics and no lock. Times are those of the one
// clock that the Admission is given; one that steps back counts as standing still. Never fails: of more than kMostOpen
// windows at once, and of more than 208 days, the further ones are not admitted.
#pragma once

#include <atomic>
#include <cstdint>

#include "model/run.hpp"

namespace multipass::replay {

class WindowBudget final {
 public:
  static constexpr std::uint64_t kMostOpen = 1023;
  static constexpr double kOverrun = 1.1;  // of the budget: more is never spent

  WindowBudget(ReplayBudget budget, std::uint64_t now_ns) noexcept : budget_(budget), began_ns_(now_ns) {}

  [[nodiscard]] bool limited() const noexcept { return budget_.limited(); }

  // What may be spent by now; without a limit the largest number.
  [[nodiscard]] std::uint64_t allowed(std::uint64_t now_ns) const noexcept;
  // The time with a window open.
  [[nodiscard]] std::uint64_t spent(std::uint64_t now_ns) const noexcept;
  // What of the budget is neither spent nor reserved.
  [[nodiscard]] std::uint64_t left(std::uint64_t now_ns) const noexcept;

  // Opens a window that is projected to take so long. False: that is not left, and nothing was taken; `anyway`: it is
  // opened all the same.
  [[nodiscard]] bool open(std::uint64_t projected_ns, std::uint64_t now_ns, bool anyway) noexcept;
  // It has ended. `projected_ns` as it was given. False: none is open, and nothing was given back.
  bool close(std::uint64_t projected_ns, std::uint64_t now_ns) noexcept;

  // Whether a window that goes on for so long would spend more than may ever be.
  [[nodiscard]] bool overruns(std::uint64_t further_ns, std::uint64_t now_ns) const noexcept;

 private:
  // How many windows are open, and one time: with none open what was spent, else when it would have begun had it been
  // spent in one piece until now. One number, so that nobody sees one without the other.
  static constexpr unsigned kTimeBits = 54;
  static constexpr std::uint64_t kTime = (std::uint64_t{1} << kTimeBits) - 1;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << kTimeBits;

  [[nodiscard]] std::uint64_t wall(std::uint64_t now_ns) const noexcept;
  [[nodiscard]] static std::uint64_t spent_of(std::uint64_t state, std::uint64_t wall_ns) noexcept;
  [[nodiscard]] bool begin(std::uint64_t wall_ns) noexcept;

  const ReplayBudget budget_;
  const std::uint64_t began_ns_;
  std::atomic<std::uint64_t> state_{0};
  std::atomic<std::uint64_t> reserved_ns_{0};
};

}  // namespace multipass::replay
