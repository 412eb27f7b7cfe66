// SPDX-License-Identifier: MIT
#include "tool/fork_pause.hpp"

namespace multipass::tool {
namespace {

// This thread is in before() or after().
constinit thread_local bool t_busy = false;

class Busy final {
 public:
  Busy() noexcept { t_busy = true; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { t_busy = false; }
};

}  // namespace

bool ForkPause::applies() const noexcept {
  return !t_busy && services_.may_wait();
}

void ForkPause::before() noexcept {
  if (!applies()) return;
  const Busy here;
  const std::lock_guard lock(mutex_);
  if (++under_way_ > 1) return;
  paused_ = services_.pause_counting();
  if (paused_) pauses_.fetch_add(1, std::memory_order_relaxed);
}

Status ForkPause::after() {
  if (!applies()) return Status::ok();
  const Busy here;
  const std::lock_guard lock(mutex_);
  if (under_way_ == 0 || --under_way_ > 0) return Status::ok();
  return paused_ ? services_.resume_counting() : Status::ok();
}

}  // namespace multipass::tool
