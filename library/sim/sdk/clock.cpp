// SPDX-License-Identifier: MIT
#include "sim/sdk/clock.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <ctime>

namespace multipass_sim {

std::uint64_t boottime_ns() noexcept {
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
