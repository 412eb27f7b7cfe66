// SPDX-License-Identifier: MIT
#include "base/write_signals.hpp"

#include <cerrno>
#include <ctime>
#include <initializer_list>

namespace multipass {

WriteSignalsBlocked::WriteSignalsBlocked() noexcept {
  sigset_t pending;
  sigpending(&pending);
  sigset_t both;
  sigemptyset(&both);
  sigemptyset(&ours_);
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    sigaddset(&both, signal);
    if (sigismember(&pending, signal) != 1) sigaddset(&ours_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &both, &saved_);
}

WriteSignalsBlocked::~WriteSignalsBlocked() {
  const int saved_errno = errno;
  const timespec at_once{};
  for (;;) {
    const int taken = sigtimedwait(&ours_, nullptr, &at_once);
    if (taken < 0 && errno != EINTR) break;  // EAGAIN: none is left
  }
  pthread_sigmask(SIG_SETMASK, &saved_, nullptr);
  errno = saved_errno;
}

}  // namespace multipass
