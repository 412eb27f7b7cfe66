// SPDX-License-Identifier: MIT
#include "tool/process_info.hpp"

#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <ctime>
#include <fstream>
#include <iterator>

#include "base/environment.hpp"

namespace multipass::tool {
namespace {

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<std::string> command_line() {
  std::vector<std::string> words;
  const std::string all = read_file("/proc/self/cmdline");
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = all.find('\0', begin);
    words.push_back(all.substr(begin, end - begin));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return words;
}

std::string application_name() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return "application";
  const std::string_view whole(path.data(), static_cast<std::size_t>(length));
  return std::string(whole.substr(whole.rfind('/') + 1));
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

std::uint64_t clock_ns(int clock) noexcept {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

std::optional<std::uint32_t> launcher_rank() {
  const auto text = environment::first_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
                                           "PALS_RANKID", "FLUX_TASK_RANK", "SLURM_PROCID"});
  if (!text) return std::nullopt;
  std::uint32_t rank = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, rank);
  if (error != std::errc() || stop != end) return std::nullopt;
  return rank;
}

std::string make_guid() {
  std::array<std::uint8_t, 16> bytes{};
  // A short read leaves zeros; the time part still tells processes apart.
  [[maybe_unused]] const ssize_t got = ::getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK);
  std::uint64_t ms = clock_ns(CLOCK_REALTIME) / 1'000'000U;
  for (std::size_t i = 6; i-- > 0; ms >>= 8U) bytes[i] = static_cast<std::uint8_t>(ms);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x70U);  // version 7
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);  // variant of RFC 9562
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[bytes[i] >> 4U];
    out += kDigits[bytes[i] & 15U];
  }
  return out;
}

void describe_process(RunMetadata& run) {
  run.guid = make_guid();
  run.command = command_line();
  run.pid = static_cast<std::uint64_t>(::getpid());
  run.ppid = static_cast<std::uint64_t>(::getppid());
  run.rank = launcher_rank();
  run.hostname = host_name();
  run.machine_id = read_file("/etc/machine-id");
  while (!run.machine_id.empty() && run.machine_id.back() == '\n') run.machine_id.pop_back();
  utsname system{};
  if (::uname(&system) == 0) {
    run.system_name = system.sysname;
    run.system_release = system.release;
    run.system_version = system.version;
  }
  run.boottime_ns = clock_ns(CLOCK_BOOTTIME);
  run.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
  run.realtime_ns = clock_ns(CLOCK_REALTIME);
  run.start_ns = run.boottime_ns;
}

}  // namespace multipass::tool
