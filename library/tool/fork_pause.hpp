// SPDX-License-Identifier: MIT
//
// ForkPause: stops counting while threads of the process fork, and starts it again when the last of them has.
//
// For SDK 1.0.0, whose child hangs in exit() for ever when counting was active at the fork (fixed later,
// sample_processing.cpp @19d94f91). What other threads launch meanwhile is recorded without counters.
// Owner: Tool. before() and after() come in pairs, on the thread that forks; in the child nothing is called. A pair has
// no effect where the SDK must not be waited for: on a thread that delivers records, and where a signal handler forks
// inside a callback or inside one of these functions.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/status.hpp"
#include "sdk/services.hpp"

namespace multipass::tool {

class ForkPause final {
 public:
  explicit ForkPause(sdk::Services& services) noexcept : services_(services) {}

  void before() noexcept;
  // An error: counting could not be started again.
  Status after();

  // How often counting was stopped.
  [[nodiscard]] std::uint64_t pauses() const noexcept { return pauses_.load(std::memory_order_relaxed); }

 private:
  sdk::Services& services_;
  // The one lock of the tool that is held while the SDK is called: only threads that fork wait for it, and the SDK does
  // not wait for these.
  std::mutex mutex_;
  std::uint64_t under_way_ = 0;
  std::atomic<std::uint64_t> pauses_{0};
  bool paused_ = false;
};

}  // namespace multipass::tool
