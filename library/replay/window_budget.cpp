// SPDX-License-Identifier: MIT
#include "replay/window_budget.hpp"

#include <algorithm>
#include <limits>

namespace multipass::replay {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t minus(std::uint64_t from, std::uint64_t what) noexcept {
  return from > what ? from - what : 0;
}
constexpr std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  return a > kUnlimited - b ? kUnlimited : a + b;
}

// Of a time in ns; what does not fit is the largest number.
std::uint64_t share_of(double share, std::uint64_t ns) noexcept {
  const double part = share * static_cast<double>(ns);
  return part < static_cast<double>(kUnlimited) ? static_cast<std::uint64_t>(part) : kUnlimited;
}

}  // namespace

std::uint64_t WindowBudget::wall(std::uint64_t now_ns) const noexcept {
  return std::min(minus(now_ns, began_ns_), kTime);
}

std::uint64_t WindowBudget::spent_of(std::uint64_t state, std::uint64_t wall_ns) noexcept {
  const std::uint64_t time = state & kTime;
  return state < kOne ? time : minus(wall_ns, time);
}

std::uint64_t WindowBudget::allowed(std::uint64_t now_ns) const noexcept {
  return limited() ? std::max(budget_.ns, share_of(budget_.share, wall(now_ns))) : kUnlimited;
}

std::uint64_t WindowBudget::spent(std::uint64_t now_ns) const noexcept {
  return spent_of(state_.load(std::memory_order_acquire), wall(now_ns));
}

std::uint64_t WindowBudget::left(std::uint64_t now_ns) const noexcept {
  if (!limited()) return kUnlimited;
  return minus(allowed(now_ns), plus(spent(now_ns), reserved_ns_.load(std::memory_order_acquire)));
}

// In two steps, of which the second may find that there is no room: what is reserved first is never given out twice.
bool WindowBudget::open(std::uint64_t projected_ns, std::uint64_t now_ns, bool anyway) noexcept {
  std::uint64_t reserved = reserved_ns_.load(std::memory_order_acquire);
  do {
    const std::uint64_t committed = plus(plus(spent(now_ns), reserved), projected_ns);
    if (!anyway && committed > allowed(now_ns)) return false;
    if (projected_ns > kUnlimited - reserved) return false;
  } while (!reserved_ns_.compare_exchange_weak(reserved, reserved + projected_ns, std::memory_order_acq_rel));
  if (begin(wall(now_ns))) return true;
  reserved_ns_.fetch_sub(projected_ns, std::memory_order_acq_rel);
  return false;
}

bool WindowBudget::begin(std::uint64_t wall_ns) noexcept {
  std::uint64_t state = state_.load(std::memory_order_acquire);
  std::uint64_t opened = 0;
  do {
    if (wall_ns == kTime || state >> kTimeBits == kMostOpen) return false;
    opened = state < kOne ? kOne | minus(wall_ns, state) : state + kOne;
  } while (!state_.compare_exchange_weak(state, opened, std::memory_order_acq_rel));
  return true;
}

// The reservation ends last: in between the window counts as both.
bool WindowBudget::close(std::uint64_t projected_ns, std::uint64_t now_ns) noexcept {
  std::uint64_t state = state_.load(std::memory_order_acquire);
  std::uint64_t closed = 0;
  do {
    if (state < kOne) return false;
    closed = state < 2 * kOne ? spent_of(state, wall(now_ns)) : state - kOne;
  } while (!state_.compare_exchange_weak(state, closed, std::memory_order_acq_rel));
  reserved_ns_.fetch_sub(projected_ns, std::memory_order_acq_rel);
  return true;
}

bool WindowBudget::overruns(std::uint64_t further_ns, std::uint64_t now_ns) const noexcept {
  if (!limited()) return false;
  return static_cast<double>(plus(spent(now_ns), further_ns)) > kOverrun * static_cast<double>(allowed(now_ns));
}

}  // namespace multipass::replay
