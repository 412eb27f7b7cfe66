// SPDX-License-Identifier: MIT
//
// HostMemory: how many bytes of host memory copies of GPU memory may still take in this process.
//
// The least of what the machine has available and what each memory control group of the process, version 1 or 2, leaves
// of its limit, where file pages that nobody uses count as free; shared by the processes of the node. `doctor` says the
// same (python/rocprofsys_multipass/host_memory.py). A number of the user stands for all of that. What open replay
// windows are to take is reserved.
//
// Owned by the Admission. Threads: any; atomics, no lock. The files are read by whoever asks when what is known is
// older than kFresh: on the launching thread, some ten system calls, into memory of the stack. Errors: what cannot be
// read limits nothing; without anything there is no limit.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace multipass::replay {

class HostMemory final {
 public:
  static constexpr std::uint64_t kFresh = 100'000'000;  // ns

  // Where the files are; for tests, a folder of their own.
  struct Places {
    std::string meminfo = "/proc/meminfo";
    std::string own_groups = "/proc/self/cgroup";
    std::string groups = "/sys/fs/cgroup";
  };

  // `given`: by the user, in place of what is left.
  explicit HostMemory(std::optional<std::uint64_t> given = {}) : HostMemory(given, Places()) {}
  HostMemory(std::optional<std::uint64_t> given, const Places& places);

  // How many processes of this node share the memory; at least 1.
  void share_by(std::uint32_t processes) noexcept { processes_.store(processes, std::memory_order_relaxed); }

  // What is left beside what is reserved; empty: no limit is known.
  [[nodiscard]] std::optional<std::uint64_t> left(std::uint64_t now_ns) noexcept;

  // Whether so much is left. Where nothing is to be copied there is room, and no file is read.
  [[nodiscard]] bool has_room(std::uint64_t bytes, std::uint64_t now_ns) noexcept;

  // False: so much is not left, and nothing was taken; `anyway`: it is taken all the same.
  [[nodiscard]] bool reserve(std::uint64_t bytes, std::uint64_t now_ns, bool anyway) noexcept;
  void give_back(std::uint64_t bytes) noexcept { reserved_.fetch_sub(bytes, std::memory_order_acq_rel); }

 private:
  // The files of one control group; an empty name: there is no such file.
  struct Group {
    std::string limit, soft_limit, used, details;
    const char* reclaimable = "";  // the line of `details` with what can be had back
  };
  [[nodiscard]] std::optional<std::uint64_t> of_process(std::uint64_t now_ns) noexcept;
  [[nodiscard]] std::uint64_t read() const noexcept;  // kUnknown: nothing limits it
  [[nodiscard]] static std::uint64_t left_of(const Group& group) noexcept;
  void find_groups(const std::string& own_groups, const std::string& root);
  void add_group(const std::string& folder, bool unified);

  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  const std::optional<std::uint64_t> given_;
  const std::string meminfo_;
  std::vector<Group> groups_;  // immutable once made
  std::atomic<std::uint32_t> processes_{1};
  std::atomic<std::uint64_t> read_at_{0};  // 0: never
  std::atomic<std::uint64_t> available_{kUnknown};
  std::atomic<std::uint64_t> reserved_{0};
};

// What the open windows of ONE agent have taken of it. They come one after the other, and each gives its copy back
// before the next makes its own: together they take what the largest does. Threads: any; one lock, held for one access.
class AgentCopies final {
 public:
  // What a window that copies so much would take beside what is taken.
  [[nodiscard]] std::uint64_t further(std::uint64_t bytes) const noexcept {
    const std::uint64_t taken = bytes_.load(std::memory_order_acquire);
    return bytes > taken ? bytes - taken : 0;
  }

  // A window opens. As HostMemory::reserve.
  [[nodiscard]] bool open(HostMemory& memory, std::uint64_t bytes, std::uint64_t now_ns, bool anyway) noexcept;
  // One that was opened has ended.
  void close(HostMemory& memory) noexcept;

 private:
  std::mutex mutex_;
  std::uint64_t windows_ = 0;            // guarded by mutex_
  std::atomic<std::uint64_t> bytes_{0};  // written under mutex_
};

}  // namespace multipass::replay
