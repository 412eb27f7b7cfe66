// SPDX-License-Identifier: MIT
#include "apps/export/progress.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/write_signals.hpp"

namespace multipass::apps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kSilent{2};
constexpr milliseconds kOnTerminal{200};
constexpr seconds kElsewhere{10};
constexpr std::string_view kPrefix = "rocprof-sys-multipass: ";
constexpr std::string_view kClearLine = "\r\x1b[K";
constexpr std::size_t kUsualWidth = 80;

void write_some(int out, std::string_view text) {
  pollfd ready{out, POLLOUT, 0};
  if (::poll(&ready, 1, 0) <= 0) return;
  const WriteSignalsBlocked guard;
  [[maybe_unused]] const ssize_t written = ::write(out, text.data(), text.size());
}

std::size_t width_of(int terminal) {
  winsize size{};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kUsualWidth;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMegabyte = 1'000'000;
  return std::to_string((bytes + kMegabyte / 2) / kMegabyte);
}

std::string time_text(std::int64_t total) {
  if (total < 60) return std::to_string(total) + " s";
  if (total < 3600) return std::to_string(total / 60) + " min " + std::to_string(total % 60) + " s";
  return std::to_string(total / 3600) + " h " + std::to_string(total % 3600 / 60) + " min";
}

}  // namespace

Progress::Progress(int out, std::uint64_t total, Clock::time_point (*now)())
    : out_(out), terminal_(out >= 0 && ::isatty(out) == 1), total_(total), now_(now), start_(now()), shown_(start_) {}

void Progress::begin_file(const std::string& path) {
  name_ = std::filesystem::path(path).filename().string();
}

bool Progress::is_due(Clock::time_point now) const {
  if (out_ < 0 || now - start_ < kSilent) return false;
  return shown_ == start_ || now - shown_ >= (terminal_ ? Clock::duration(kOnTerminal) : Clock::duration(kElsewhere));
}

void Progress::at(std::uint64_t bytes) {
  done_ = before_ + bytes;
  if (const Clock::time_point now = now_(); is_due(now)) show(state(now), now);
}

void Progress::step(const std::string& what) {
  const Clock::time_point now = now_();
  if (out_ >= 0 && now - start_ >= kSilent) show(what, now);
}

void Progress::end_file(std::uint64_t bytes) {
  before_ += bytes;
  done_ = before_;
}

// "exporting multipass-1.journal: 42 % of 248 MB, 12 s left"
std::string Progress::state(Clock::time_point now) const {
  const std::uint64_t done = std::min(done_, total_);  // a file may have grown
  std::string text = "exporting " + name_ + ": " + std::to_string(total_ == 0 ? 100 : done * 100 / total_) + " % of " +
                     size_text(total_) + " MB read";
  if (done == 0) return text;
  const double taken = std::chrono::duration<double>(now - start_).count();
  const double left = taken * static_cast<double>(total_ - done) / static_cast<double>(done);
  return text + ", " + time_text(std::lround(left)) + " left";
}

// A line on a terminal has no room for who we are, and is gone at the end.
void Progress::show(std::string text, Clock::time_point now) {
  shown_ = now;
  if (terminal_) {
    const std::size_t width = width_of(out_) - 1;  // a full line would be continued on the next
    if (text.size() > width) text.resize(width);
    line_ = true;
    write_some(out_, std::string(kClearLine) + text);
  } else {
    write_some(out_, std::string(kPrefix) + text + "\n");
  }
}

void Progress::clear() {
  if (std::exchange(line_, false)) write_some(out_, kClearLine);
}

}  // namespace multipass::apps
