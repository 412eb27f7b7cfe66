// SPDX-License-Identifier: MIT
#include "base/log.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
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
    // A short or failed write loses text of ours only; retrying could block the program.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // out of memory: the message is dropped
  }
  errno = saved_errno;
}

}  // namespace multipass
