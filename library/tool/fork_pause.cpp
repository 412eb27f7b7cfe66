// SPDX-License-Identifier: MIT
#include "tool/fork_pause.hpp"

#include <utility>

namespace multipass::tool {
namespace {

// Of this thread: it is in before() or after(), and its last before() took part.
constinit thread_local bool t_busy = false;
constinit thread_local bool t_paused = false;

class Busy final {
 public:
  Busy() noexcept { t_busy = true; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { t_busy = false; }
};

}  // namespace

void ForkPause::before() noexcept {
  if (t_busy || !services_.may_wait()) return;
  const Busy here;
  const std::lock_guard lock(mutex_);
  t_paused = true;
  if (++under_way_ > 1) return;
  paused_ = services_.pause_counting();
  if (paused_) pauses_.fetch_add(1, std::memory_order_relaxed);
}

Status ForkPause::after() {
  if (t_busy || !std::exchange(t_paused, false)) return Status::ok();
  const Busy here;
  const std::lock_guard lock(mutex_);
  --under_way_;
  if (under_way_ > 0) return Status::ok();
  return paused_ ? services_.resume_counting() : Status::ok();
}

}  // namespace multipass::tool
