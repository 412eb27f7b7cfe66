// SPDX-License-Identifier: MIT
//
// CopyWait: how a launch waits for the copies that are under way on its agent, which most often are ordered before it
// (hipMemcpyAsync, then a launch on the same stream) and end by themselves.
//
// A copy may also wait for the launching thread, or be one of many that another thread makes. So a wait is bounded,
// and after kMostInVain in a row that were in vain the next kNotWaited launches that meet a copy do not wait; then one
// does: where it is in vain too, the same number again do not.
//
// Owned by the Admission, one for each agent. Threads: any number wait at once, each on its own launch, without a lock;
// what they share is one atomic. Time is the host's: it bounds what a thread stands still for. Allocates nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace multipass::replay {

class CopyWait final {
 public:
  static constexpr std::uint32_t kMostInVain = 3;
  static constexpr std::uint32_t kNotWaited = 64;

  // Asks `ended` until it is so, or `longest` is over: whether it became so.
  template <typename Ended>
  bool until(Ended ended, std::chrono::nanoseconds longest) noexcept {
    const std::uint32_t before = in_vain_.load(std::memory_order_relaxed);
    if (before >= kMostInVain && before < kMostInVain + kNotWaited) {
      in_vain_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    const bool became = asked_until(ended, longest);
    if (became)
      in_vain_.store(0, std::memory_order_relaxed);
    else if (before < kMostInVain)
      in_vain_.fetch_add(1, std::memory_order_relaxed);
    else
      in_vain_.store(kMostInVain, std::memory_order_relaxed);
    return became;
  }

 private:
  static constexpr int kYields = 32;  // a small copy has ended by then
  static constexpr std::chrono::microseconds kSleep{50};

  template <typename Ended>
  static bool asked_until(Ended ended, std::chrono::nanoseconds longest) noexcept {
    const auto end = std::chrono::steady_clock::now() + longest;
    for (int asked = 0;; ++asked) {
      const bool last =
          std::chrono::steady_clock::now() >= end;  // before it is asked, however long the thread was away
      if (ended()) return true;
      if (last) return false;
      if (asked < kYields)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(kSleep);
    }
  }

  // Waits in vain in a row, and beyond kMostInVain the launches since that did not wait.
  std::atomic<std::uint32_t> in_vain_{0};
};

}  // namespace multipass::replay
