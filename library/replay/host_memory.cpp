// SPDX-License-Identifier: MIT
#include "replay/host_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

namespace multipass::replay {
namespace {

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60U;  // version 1 says "none" by a number near 2^63

// The beginning of a file, on the stack; empty where it cannot be read.
class Beginning final {
 public:
  explicit Beginning(const std::string& path) noexcept {
    if (path.empty()) return;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    for (;;) {
      const ssize_t got = ::read(file, text_.data() + size_, text_.size() - size_);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      size_ += static_cast<std::size_t>(got);
    }
    ::close(file);
  }

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

  // The number behind `name` at the beginning of a line; "" : of the file.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const noexcept {
    std::string_view rest = text();
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (line.starts_with(name)) return number_in(line.substr(name.size()));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
    return std::nullopt;
  }

 private:
  static std::optional<std::uint64_t> number_in(std::string_view text) noexcept {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    return value;
  }

  std::array<char, 16384> text_;
  std::size_t size_ = 0;
};

std::string there(const std::string& path) {
  return ::access(path.c_str(), R_OK) == 0 ? path : std::string();
}

// A folder and those around it, up to `root`, which a container sees as its own group.
std::vector<std::string> upwards(const std::string& root, const std::string& group) {
  std::vector<std::string> folders;
  for (std::string folder = group; !folder.empty() && folder != "/"; folder.erase(folder.rfind('/')))
    folders.push_back(root + folder);
  folders.push_back(root);
  return folders;
}

bool has_memory(std::string_view controllers) {
  for (;;) {
    const std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == "memory") return true;
    if (comma == std::string_view::npos) return false;
    controllers.remove_prefix(comma + 1);
  }
}

}  // namespace

HostMemory::HostMemory(std::optional<std::uint64_t> given, const Places& places)
    : given_(given), meminfo_(places.meminfo) {
  if (!given_) find_groups(places.own_groups, places.groups);
}

// Lines are "0::/path" for version 2, "4:memory:/path" for version 1.
void HostMemory::find_groups(const std::string& own_groups, const std::string& root) {
  const Beginning file(own_groups);
  std::string_view rest = file.text();
  while (!rest.empty()) {
    const std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = line.substr(0, first) == "0" && controllers.empty();
    if (!unified && !has_memory(controllers)) continue;
    std::string group = line.substr(second + 1);
    if (group.empty() || group.front() != '/') group.insert(0, 1, '/');
    std::vector<std::string> roots{root + "/memory"};
    if (unified) roots = {root, root + "/unified"};
    for (const std::string& each : roots)
      for (const std::string& folder : upwards(each, group)) add_group(folder, unified);
  }
}

void HostMemory::add_group(const std::string& folder, bool unified) {
  Group group;
  group.limit = there(folder + (unified ? "/memory.max" : "/memory.limit_in_bytes"));
  group.used = there(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"));
  group.details = there(folder + "/memory.stat");
  if (unified) group.soft_limit = there(folder + "/memory.high");
  group.reclaimable = unified ? "inactive_file " : "total_inactive_file ";
  if (!group.limit.empty() || !group.soft_limit.empty()) groups_.push_back(std::move(group));
}

// "max" is no number: no limit.
std::uint64_t HostMemory::left_of(const Group& group) noexcept {
  std::uint64_t limit = kUnknown;
  for (const std::string* path : {&group.limit, &group.soft_limit})
    if (const auto value = Beginning(*path).number("")) limit = std::min(limit, *value);
  if (limit >= kNoLimit) return kUnknown;
  std::uint64_t used = Beginning(group.used).number("").value_or(0);
  used -= std::min(used, Beginning(group.details).number(group.reclaimable).value_or(0));
  return limit - std::min(limit, used);
}

std::uint64_t HostMemory::read() const noexcept {
  std::uint64_t least = kUnknown;
  if (const auto kibibytes = Beginning(meminfo_).number("MemAvailable:")) least = *kibibytes * 1024;
  for (const Group& group : groups_) least = std::min(least, left_of(group));
  return least;
}

// Whoever finds it old reads it: what another thread is just reading for the first time would be no limit.
std::optional<std::uint64_t> HostMemory::of_process(std::uint64_t now_ns) noexcept {
  if (given_) return given_;
  const std::uint64_t read_at = read_at_.load(std::memory_order_acquire);
  if (read_at == 0 || now_ns - std::min(now_ns, read_at) >= kFresh) {
    available_.store(read(), std::memory_order_release);
    read_at_.store(std::max<std::uint64_t>(now_ns, 1), std::memory_order_release);
  }
  const std::uint64_t available = available_.load(std::memory_order_acquire);
  if (available == kUnknown) return std::nullopt;
  return available / std::max(processes_.load(std::memory_order_relaxed), 1U);
}

std::optional<std::uint64_t> HostMemory::left(std::uint64_t now_ns) noexcept {
  const std::optional<std::uint64_t> all = of_process(now_ns);
  if (!all) return std::nullopt;
  return *all - std::min(*all, reserved_.load(std::memory_order_acquire));
}

bool HostMemory::has_room(std::uint64_t bytes, std::uint64_t now_ns) noexcept {
  if (bytes == 0) return true;
  const std::optional<std::uint64_t> free = left(now_ns);
  return !free || bytes <= *free;
}

bool HostMemory::reserve(std::uint64_t bytes, std::uint64_t now_ns, bool anyway) noexcept {
  if (bytes == 0) return true;
  const std::optional<std::uint64_t> all = anyway ? std::nullopt : of_process(now_ns);
  std::uint64_t reserved = reserved_.load(std::memory_order_acquire);
  do {
    if (bytes > kUnknown - reserved) return false;
    if (all && reserved + bytes > *all) return false;
  } while (!reserved_.compare_exchange_weak(reserved, reserved + bytes, std::memory_order_acq_rel));
  return true;
}

bool AgentCopies::open(HostMemory& memory, std::uint64_t bytes, std::uint64_t now_ns, bool anyway) noexcept {
  const std::lock_guard lock(mutex_);
  const std::uint64_t more = further(bytes);
  if (more != 0 && !memory.reserve(more, now_ns, anyway)) return false;
  bytes_.fetch_add(more, std::memory_order_release);
  ++windows_;
  return true;
}

void AgentCopies::close(HostMemory& memory) noexcept {
  const std::lock_guard lock(mutex_);
  if (--windows_ == 0) memory.give_back(bytes_.exchange(0, std::memory_order_acq_rel));
}

}  // namespace multipass::replay
