// SPDX-License-Identifier: MIT
//
// Messages for the user, on stderr only: the profiled program's stdout is never touched.
// Threads: any; one write(2) per line, so that lines of several threads do not mix. Never throws, never blocks on a
// lock, raises no signal when nobody reads or the file is full, and waits for a slow reader for kMaxWaitMs once, not
// for each message. A message that cannot be formed or written is dropped, one longer than a pipe takes at once is cut.
// errno is kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace multipass {

enum class LogLevel : std::uint8_t { kError, kWarning, kNote, kInfo };

inline constexpr int kMaxWaitMs = 200;

// Messages above `level` are dropped. Default: kWarning.
void set_log_level(LogLevel level) noexcept;

void log(LogLevel level, std::string_view text) noexcept;
// The same without memory from the heap, for where a signal handler may have interrupted whoever manages it. `text`: at
// most some hundred characters.
void log_literal(LogLevel level, std::string_view text) noexcept;
inline void log_error(std::string_view text) noexcept {
  log(LogLevel::kError, text);
}
inline void log_warning(std::string_view text) noexcept {
  log(LogLevel::kWarning, text);
}
inline void log_note(std::string_view text) noexcept {
  log(LogLevel::kNote, text);
}
inline void log_info(std::string_view text) noexcept {
  log(LogLevel::kInfo, text);
}

// One of these per message that must appear once per process, however often its cause occurs.
class OnceFlag final {
 public:
  // True for exactly one caller.
  [[nodiscard]] bool first() noexcept { return !done_.test_and_set(std::memory_order_relaxed); }

 private:
  std::atomic_flag done_;
};

}  // namespace multipass
