// SPDX-License-Identifier: MIT
#include "sim/sdk/clock.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace multipass_sim {

namespace {

std::atomic<std::uint64_t (*)()> runtime_clock{nullptr};  // set once, when a runtime is there

}  // namespace

void use_clock(std::uint64_t (*now_ns)()) noexcept {
  runtime_clock.store(now_ns);
}

std::uint64_t boottime_ns() noexcept {
  if (const auto now_ns = runtime_clock.load(); now_ns != nullptr) return now_ns();
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t thread_id() noexcept {
  return static_cast<std::uint64_t>(gettid());
}

std::uint32_t random_u32() noexcept {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof(value), GRND_NONBLOCK) != static_cast<ssize_t>(sizeof(value))) {
    value = static_cast<std::uint32_t>(boottime_ns());
  }
  return value | 1U;
}

}  // namespace multipass_sim
