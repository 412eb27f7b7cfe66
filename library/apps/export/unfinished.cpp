// SPDX-License-Identifier: MIT
#include "apps/export/unfinished.hpp"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <ctime>
#include <optional>
#include <system_error>

#include "base/log.hpp"
#include "base/temporary_name.hpp"

namespace multipass::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t kAbandoned = 3600;  // s

// What the handler removes. It must not meet a container that changes: names are complete before `count` says so.
constexpr std::size_t kMost = 8;
struct Names {
  std::array<std::array<char, PATH_MAX>, kMost> path{};
  std::atomic<std::size_t> count{0};
};
Names& names() {
  static Names all;
  return all;
}

extern "C" void stop(int number) {
  const Names& unfinished = names();
  for (std::size_t i = 0; i < unfinished.count.load(std::memory_order_acquire); ++i)
    ::unlink(unfinished.path[i].data());
  if (::isatty(STDERR_FILENO) == 1) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, "\r\x1b[K", 4);
  }
  log_literal(LogLevel::kError, number == SIGINT
                                    ? "the export was interrupted (SIGINT): outputs that were not complete are "
                                      "removed, the capture is as it was; run it again"
                                    : "the export was ended (SIGTERM): outputs that were not complete are "
                                      "removed, the capture is as it was; run it again");
  ::_exit(128 + number);
}

std::optional<pid_t> process_in(std::string_view name, std::string_view target) {
  if (!name.starts_with(target) || !name.substr(target.size()).starts_with(kTemporaryMark)) return std::nullopt;
  const std::string_view digits = name.substr(target.size() + kTemporaryMark.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  if (error != std::errc{} || end != digits.data() + digits.size() || pid <= 0) return std::nullopt;
  return pid;
}

bool is_gone(pid_t pid) noexcept {
  return pid == ::getpid() || (::kill(pid, 0) != 0 && errno == ESRCH);
}

// Those that only one machine writes to (f_type of statfs(2)); of any other it is not known.
bool is_local(const fs::path& folder) {
  constexpr std::array<std::uint32_t, 7> kLocal{0xEF53,       // ext2, ext3, ext4
                                                0x58465342,   // xfs
                                                0x9123683E,   // btrfs
                                                0x01021994,   // tmpfs
                                                0x794C7630,   // overlayfs
                                                0xF2F52010,   // f2fs
                                                0x2FC12FC1};  // zfs
  struct statfs about{};
  if (::statfs(folder.c_str(), &about) != 0) return false;
  return std::find(kLocal.begin(), kLocal.end(), static_cast<std::uint32_t>(about.f_type)) != kLocal.end();
}

bool is_abandoned(const fs::path& file) noexcept {
  struct stat about{};
  return ::stat(file.c_str(), &about) == 0 && std::time(nullptr) - about.st_mtime > kAbandoned;
}

}  // namespace

void stop_cleanly(const std::vector<fs::path>& targets) {
  Names& unfinished = names();
  unfinished.count.store(0, std::memory_order_release);
  std::size_t count = 0;
  for (const fs::path& target : targets) {
    const std::string path = temporary_name(target.string());
    if (count == kMost || path.size() >= PATH_MAX) continue;
    std::array<char, PATH_MAX>& slot = unfinished.path[count++];
    slot[path.copy(slot.data(), PATH_MAX - 1)] = '\0';
  }
  unfinished.count.store(count, std::memory_order_release);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction set{};
    if (::sigaction(number, nullptr, &set) != 0 || set.sa_handler == SIG_IGN) continue;
    set = {};
    set.sa_handler = &stop;
    sigfillset(&set.sa_mask);
    (void)::sigaction(number, &set, nullptr);
  }
}

void nothing_unfinished() noexcept {
  names().count.store(0, std::memory_order_release);
}

std::vector<std::string> remove_leftovers(const fs::path& target) {
  std::vector<std::string> removed;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const std::string name = target.filename().string();
  std::optional<bool> local;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string found = at->path().filename().string();
    const std::optional<pid_t> pid = process_in(found, name);
    if (!pid || !is_gone(*pid)) continue;
    if (!local) local = is_local(folder);
    if (!*local && !is_abandoned(at->path())) continue;
    std::error_code kept;
    if (fs::is_regular_file(at->symlink_status(kept)) && fs::remove(at->path(), kept)) removed.push_back(found);
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace multipass::apps
