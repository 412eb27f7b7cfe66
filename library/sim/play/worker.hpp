// SPDX-License-Identifier: MIT
//
// Worker: a thread that does one thing after the other for a caller who waits.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace multipass_sim::play {

class Worker final {
 public:
  Worker() : thread_([this] { run(); }) {
    do_now([this] { id_ = static_cast<std::uint64_t>(::gettid()); });
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // Returns when it is done. `what` does not throw.
  void do_now(std::function<void()> what) {
    std::unique_lock lock(mutex_);
    work_ = std::move(what);
    changed_.notify_all();
    changed_.wait(lock, [this] { return !work_; });
  }

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return work_ || ends_; });
      if (!work_) return;
      lock.unlock();
      work_();
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  bool ends_ = false;
  std::uint64_t id_ = 0;
  std::thread thread_;  // last: it uses the others
};

}  // namespace multipass_sim::play
