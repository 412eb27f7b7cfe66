// SPDX-License-Identifier: MIT
#include "base/log.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>

namespace multipass {
namespace {

constinit std::atomic<LogLevel> g_level{LogLevel::kWarning};

constexpr std::array<std::string_view, 4> kPrefix{
    "rocprof-sys-multipass: error: ",
    "rocprof-sys-multipass: warning: ",
    "rocprof-sys-multipass: ",
    "rocprof-sys-multipass: debug: ",
};

// A SIGPIPE of ours would end a program that does not expect one: it is held back while we write, and taken away.
class PipeSignalBlocked final {
 public:
  PipeSignalBlocked() noexcept {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &saved_);
  }
  PipeSignalBlocked(const PipeSignalBlocked&) = delete;
  PipeSignalBlocked& operator=(const PipeSignalBlocked&) = delete;
  ~PipeSignalBlocked() {
    const timespec at_once{};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &saved_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t saved_{};
  bool was_pending_ = false;
};

void write_line(std::string_view line) noexcept {
  pollfd stderr_ready{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&stderr_ready, 1, kMaxWaitMs) <= 0) return;
  const PipeSignalBlocked guard;
  // A short or failed write loses text of ours only; retrying could block the program.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void set_log_level(LogLevel level) noexcept {
  g_level.store(level, std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view text) noexcept {
  if (level > g_level.load(std::memory_order_relaxed)) return;
  const int saved_errno = errno;  // the profiled program must not see ours
  try {
    std::string line;
    line.reserve(text.size() + 48);
    line.append(kPrefix[static_cast<std::size_t>(level)]).append(text).push_back('\n');
    write_line(line);
  } catch (...) {  // out of memory: the message is dropped
  }
  errno = saved_errno;
}

}  // namespace multipass
