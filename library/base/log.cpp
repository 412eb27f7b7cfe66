// SPDX-License-Identifier: MIT
#include "base/log.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string>

#include "base/write_signals.hpp"

namespace multipass {
namespace {

constinit std::atomic<LogLevel> g_level{LogLevel::kWarning};

constexpr std::array<std::string_view, 4> kPrefix{
    "rocprof-sys-multipass: error: ",
    "rocprof-sys-multipass: warning: ",
    "rocprof-sys-multipass: note: ",
    "rocprof-sys-multipass: ",
};

// Nobody took what we wrote for kMaxWaitMs: until somebody does, nothing is waited for again.
constinit std::atomic<bool> g_stalled{false};

void write_line(std::string_view line) noexcept {
  pollfd stderr_ready{STDERR_FILENO, POLLOUT, 0};
  const bool ready = ::poll(&stderr_ready, 1, g_stalled.load(std::memory_order_relaxed) ? 0 : kMaxWaitMs) > 0;
  g_stalled.store(!ready, std::memory_order_relaxed);
  if (!ready) return;
  const WriteSignalsBlocked guard;
  // A short or failed write loses text of ours only; retrying could block the program.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

// What is ready for writing takes PIPE_BUF bytes at once, and more may block.
void append_clipped(std::string& line, std::string_view text) {
  constexpr std::string_view kCut = " ...";
  const std::size_t room = PIPE_BUF - line.size() - 1;
  if (text.size() <= room) {
    line.append(text);
  } else {
    line.append(text.substr(0, room - kCut.size())).append(kCut);
  }
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
    line.append(kPrefix[static_cast<std::size_t>(level)]);
    append_clipped(line, text);
    line.push_back('\n');
    write_line(line);
  } catch (...) {  // out of memory: the message is dropped
  }
  errno = saved_errno;
}

void log_literal(LogLevel level, std::string_view text) noexcept {
  if (level > g_level.load(std::memory_order_relaxed)) return;
  const int saved_errno = errno;
  std::array<char, 512> line{};
  std::size_t length = 0;
  const auto append = [&](std::string_view part) {
    const std::size_t taken = std::min(part.size(), line.size() - 1 - length);  // the last one is for the line's end
    std::copy_n(part.begin(), taken, line.begin() + static_cast<std::ptrdiff_t>(length));
    length += taken;
  };
  append(kPrefix[static_cast<std::size_t>(level)]);
  append(text);
  line[length++] = '\n';
  write_line({line.data(), length});
  errno = saved_errno;
}

}  // namespace multipass
