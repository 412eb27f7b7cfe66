// SPDX-License-Identifier: MIT
//
// Regions: where in the program dispatches are wanted, by its calls of roctx.
//
// Ranges: a dispatch is inside of the push ranges that its launching thread has open and of the start ranges that the
// process has open. Pause and resume: what holds for a thread is the last call for it or for all threads, as the
// documentation of roctx has it (0: all threads); the program runs unpaused until then, or paused with
// selected_regions.
//
// Owned by the tool. The patterns are searched when a range begins. A dispatch costs a few loads: no lock, no
// allocation. Threads: any. Never fails: a message whose search takes too many steps counts as not found.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "model/dispatch.hpp"
#include "model/run.hpp"
#include "replay/pattern.hpp"

namespace multipass::replay {

class Regions final {
 public:
  // What a range is to a dispatch inside of it: bits of 1, is wanted there; 2, is not. To be kept until the range ends.
  using Mark = std::uint64_t;

  // An error names the setting, its text, the column and the fault.
  static Result<std::shared_ptr<Regions>> create(const RegionConfig& config);

  // True: the markers of ranges are needed.
  [[nodiscard]] bool by_range() const noexcept { return inside_ || exclude_; }

  // A push range of the calling thread begins, or ends. nullptr counts as the empty message.
  [[nodiscard]] Mark thread_range_begins(const char* message) noexcept;
  void thread_range_ends(Mark mark) noexcept;
  // A start range of the process.
  [[nodiscard]] Mark process_range_begins(const char* message) noexcept;
  void process_range_ends(Mark mark) noexcept;

  // roctxProfilerPause, roctxProfilerResume. 0: all threads.
  void pause(std::uint64_t thread) noexcept { decide_for(thread, true); }
  void resume(std::uint64_t thread) noexcept { decide_for(thread, false); }

  // On the launching thread, whose id is `thread`. Nothing: the dispatch is wanted.
  [[nodiscard]] std::optional<FilterReason> decide(std::uint64_t thread) const noexcept;

  struct Use {
    std::uint64_t ranges = 0;   // that have begun
    std::uint64_t found = 0;    // of which include found its pattern
    std::uint64_t hard = 0;     // of which a search took too many steps
    std::uint64_t resumes = 0;  // roctxProfilerResume
    std::uint64_t refused = 0;  // calls for single threads that could not be kept
    std::string first{};        // message of the first range, cut to kMaxShown bytes
  };
  static constexpr std::size_t kMaxShown = 64;
  [[nodiscard]] Use use() const;  // std::bad_alloc

 private:
  static constexpr std::size_t kThreads = 256;  // that have a state of their own at the same time
  // The last call for a thread: its number among the calls of the process, and whether it was a pause.
  using Call = std::uint64_t;
  static constexpr Call kPausedBit = 1;
  struct ThreadCall {
    std::atomic<std::uint64_t> thread{0};  // 0: free
    std::atomic<Call> call{0};
  };

  Regions() = default;
  [[nodiscard]] Mark mark_of(const char* message) noexcept;
  [[nodiscard]] bool found(const Pattern& pattern, std::string_view message) noexcept;
  void decide_for(std::uint64_t thread, bool paused) noexcept;
  [[nodiscard]] ThreadCall* place_for(std::uint64_t thread) noexcept;  // with mutex_
  [[nodiscard]] bool paused(std::uint64_t thread) const noexcept;

  bool inside_ = false;  // only inside of a range
  std::optional<Pattern> include_;
  std::optional<Pattern> exclude_;
  std::atomic<std::uint32_t> process_wanted_{0}, process_unwanted_{0};  // open ranges

  std::atomic<Call> for_all_{0};
  std::mutex mutex_;         // between callers of pause and resume
  std::uint64_t calls_ = 0;  // guarded by mutex_
  std::array<ThreadCall, kThreads> for_thread_{};
  std::atomic<std::size_t> places_{0};  // used of for_thread_

  // The first message: written by whoever opens the first range, read once it is there.
  std::array<char, kMaxShown> first_{};
  std::atomic<std::size_t> first_size_{0};

  std::atomic<std::uint64_t> ranges_{0}, found_{0}, hard_{0}, resumes_{0}, refused_{0};
};

}  // namespace multipass::replay
