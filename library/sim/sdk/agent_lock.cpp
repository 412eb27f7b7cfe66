// SPDX-License-Identifier: MIT
#include "sim/sdk/agent_lock.hpp"

#include "sim/sdk/clock.hpp"
#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim {

void AgentLock::lock() {
  std::unique_lock lock(mutex_);
  refuse_own_window();
  changed_.wait(lock, [this] { return owner_ == 0 && sharers_ == 0; });
  owner_ = thread_id();
}

void AgentLock::unlock() {
  const std::lock_guard lock(mutex_);
  owner_ = 0;
  changed_.notify_all();
}

void AgentLock::lock_shared() {
  std::unique_lock lock(mutex_);
  refuse_own_window();
  changed_.wait(lock, [this] { return owner_ == 0; });
  ++sharers_;
}

void AgentLock::unlock_shared() {
  const std::lock_guard lock(mutex_);
  --sharers_;
  changed_.notify_all();
}

void AgentLock::refuse_own_window() const {
  if (owner_ == thread_id()) {
    fatal("a kernel or copy was launched from a callback inside a replay window: the real library deadlocks here");
  }
}

}  // namespace multipass_sim
