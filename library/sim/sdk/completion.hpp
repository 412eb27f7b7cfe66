// SPDX-License-Identifier: MIT
//
// One event that one thread waits for and another one signals, once. Lives on the waiter's stack: the signaller does
// not touch it any more when the wait has returned.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace multipass_sim {

class Completion final {
 public:
  void signal() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();  // under the lock: the waiter may destroy this object as soon as it is free
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
  }
  [[nodiscard]] bool wait_for(std::chrono::milliseconds bound) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, std::chrono::system_clock::now() + bound, [this] { return done_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

}  // namespace multipass_sim
