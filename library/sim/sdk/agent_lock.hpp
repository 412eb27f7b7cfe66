// SPDX-License-Identifier: MIT
//
// The replay lock of one agent: a replay window holds it alone, an ordinary submission shares it. Owner: Dispatcher.
// It is held across tool callbacks, because the SDK documents it so: a launch from inside a window would wait for
// itself for ever, so that case ends the process with the reason instead.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace multipass_sim {

class AgentLock final {
 public:
  void lock();  // these four names make std::unique_lock and std::shared_lock work
  void unlock();
  void lock_shared();
  void unlock_shared();

 private:
  void refuse_own_window() const;  // with mutex_ held

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t owner_ = 0;  // thread id of the window, 0 without one
  std::uint64_t sharers_ = 0;
};

}  // namespace multipass_sim
