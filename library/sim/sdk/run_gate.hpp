// SPDX-License-Identifier: MIT
//
// What keeps kernels of one agent apart while counters are read: an execution that is counted runs alone, the others
// side by side. Owner: Dispatcher. enter() and leave() on the queue's thread Q, around the kernel; nothing else is
// waited for in between, so whoever waits here waits for running kernels only. An execution that waits to be alone goes
// before those that come later.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace multipass_sim {

class RunGate final {
 public:
  void enter(bool alone) {
    std::unique_lock lock(mutex_);
    if (alone) {
      ++waiting_;
      changed_.wait(lock, [this] { return !alone_ && together_ == 0; });
      --waiting_;
      alone_ = true;
    } else {
      changed_.wait(lock, [this] { return !alone_ && waiting_ == 0; });
      ++together_;
    }
  }

  void leave(bool alone) {
    const std::lock_guard lock(mutex_);
    if (alone) {
      alone_ = false;
    } else {
      --together_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t together_ = 0, waiting_ = 0;
  bool alone_ = false;
};

}  // namespace multipass_sim
