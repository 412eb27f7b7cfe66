// SPDX-License-Identifier: MIT
#include "sim/hip/clock.hpp"

#include <time.h>

#include <atomic>

namespace multipass_sim {
namespace {

std::atomic<std::uint64_t> ahead_ns{0};  // of the machine's clock; only grows

std::uint64_t machine_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t boot_time_ns() noexcept {
  const std::uint64_t machine = machine_ns();  // read first: a later reader has a later one, and no smaller lead
  return machine + ahead_ns.load();
}

void let_time_pass_until(std::uint64_t time_ns) noexcept {
  std::uint64_t ahead = ahead_ns.load();
  for (;;) {
    const std::uint64_t now = machine_ns() + ahead;
    if (now >= time_ns || ahead_ns.compare_exchange_weak(ahead, ahead + (time_ns - now))) return;
  }
}

}  // namespace multipass_sim
