// SPDX-License-Identifier: MIT
//
// A thread of the library that runs tasks in the order they came: the counter consumer (K) and the buffers' callback
// threads. Owner: Sdk, Buffers. All members: any thread, except the three fork members. Tasks run without any lock.
// After fork the child has no such thread; restart_in_child makes a new one, the parent's tasks are not run again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/sdk/thread_notifiers.hpp"

namespace multipass_sim {

class WorkThread final {
 public:
  using Task = std::function<void()>;

  WorkThread(const ThreadNotifiers& notifiers, std::size_t capacity);
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;
  ~WorkThread();

  void start();                             // does nothing when it runs already; calls the thread notifiers
  [[nodiscard]] bool try_post(Task& task);  // false: full or not running; the task is still the caller's then
  void drain();                             // waits until all tasks have run; returns at once on the thread itself
  void stop();                              // runs what is queued, then ends the thread
  [[nodiscard]] bool is_this_thread() const;

  void before_fork() { state_->mutex.lock(); }
  void after_fork_in_parent() { state_->mutex.unlock(); }
  void restart_in_child();

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable work, idle;
    std::deque<Task> tasks;
    bool running = false, stopping = false, busy = false;
    std::thread thread;
    std::thread::id id;  // set by the thread itself, before its first task
  };
  static void run(const std::shared_ptr<State>& state);

  const ThreadNotifiers& notifiers_;
  std::size_t capacity_;
  std::shared_ptr<State> state_;
  std::vector<std::shared_ptr<State>> abandoned_;  // of the parent process; their threads do not exist here
};

}  // namespace multipass_sim
