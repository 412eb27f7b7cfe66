// SPDX-License-Identifier: MIT
//
// Counter records that a fault keeps back: of one replay window, or until counting stops or the library has finalised.
// Shared by the thread that holds and those that add; any thread. The tasks run without a lock.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace multipass_sim {

class RecordHold final {
 public:
  using Task = std::function<void()>;

  void add(Task task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }

  // Those held so far, in their order or the other way round.
  [[nodiscard]] std::vector<Task> take(bool reversed = false) {
    std::vector<Task> tasks;
    {
      const std::lock_guard lock(mutex_);
      tasks.swap(tasks_);
    }
    if (reversed) std::reverse(tasks.begin(), tasks.end());
    return tasks;
  }

  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }  // for the fork handlers

 private:
  std::mutex mutex_;
  std::vector<Task> tasks_;
};

}  // namespace multipass_sim
