// SPDX-License-Identifier: MIT
//
// How many launches are between their submission and the end of their last handler; finalisation waits for 0, or, when
// a signal handler called exit() inside a launch, for the launches of other threads. Owner: Sdk. Any thread. A forked
// child has none of the parent's.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace multipass_sim {

class Outstanding final {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void remove() {
    const std::lock_guard lock(mutex_);
    if (count_ > 0) --count_;
    none_.notify_all();
  }
  // A launch of the calling thread, from begin to end.
  void enter() {
    add();
    ++here_;
  }
  void leave() {
    --here_;
    remove();
  }
  [[nodiscard]] bool wait_for_none(std::chrono::milliseconds bound) {
    std::unique_lock lock(mutex_);
    return none_.wait_until(lock, std::chrono::system_clock::now() + bound, [this] { return count_ <= here_; });
  }
  void forget_in_child() { count_ = 0; }

  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::uint64_t count_ = 0;
  static inline thread_local std::uint64_t here_ = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
};

}  // namespace multipass_sim
