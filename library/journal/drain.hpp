// SPDX-License-Identifier: MIT
//
// Drain: the writing side of a JournalWriter, from the lanes into the file, on a thread of its own.
//
// Shared by the writer and the thread, so that a thread that is stuck in a write outlives the writer. run() is the
// thread; all else is called by others, in the ways that are said there. What the thread does besides writing:
//  - checkpoints, once something was written: kCheckpointInterval or kCheckpointBytes later at the latest;
//  - the header of the file again, when records were dropped: at once, kHeaderInterval after the last time, at the end;
//  - a tick of the tool's.
// After a write error it goes on to do the last two, and drops everything.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/cache_line.hpp"
#include "journal/capture_file.hpp"
#include "journal/lane.hpp"

namespace multipass::journal {

class Drain final {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kCheckpointInterval{500};
  static constexpr std::size_t kCheckpointBytes = 4U << 20U;
  static constexpr std::chrono::milliseconds kHeaderInterval{10};  // one small write, over a net too

  Drain(std::string path, int fd, std::size_t most_queued_bytes);
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;
  ~Drain();

  // Before the thread is there: 0, or the errno of why the header cannot be written.
  int write_header() noexcept;
  void run() noexcept;

  // Callbacks are here: what they have appended will be taken, what was dropped be told in the header.
  void wake() noexcept {
    if (work_.load() || work_.exchange(true)) return;
    ::sem_post(&woken_);
  }

  // Any thread.
  [[nodiscard]] Lane& common() noexcept { return *common_; }
  Lane& add_lane(std::size_t most_bytes);
  void set_tick(std::chrono::milliseconds interval, std::function<void()> tick);
  void set_seen(std::function<std::uint64_t()> seen);
  void set_end(std::uint64_t end_ns);
  [[nodiscard]] bool flush(std::chrono::milliseconds timeout);
  // False: not within the time.
  [[nodiscard]] bool finish(std::chrono::milliseconds timeout);
  [[nodiscard]] std::uint64_t pending() const;
  [[nodiscard]] const LaneState& state() const noexcept { return state_; }
  [[nodiscard]] LaneState& state() noexcept { return state_; }

  CaptureFile file;  // of the thread, but for its path

 private:
  using Tick = std::function<void()>;
  using Seen = std::function<std::uint64_t()>;

  void wait_for_work() noexcept;
  [[nodiscard]] Clock::time_point run_due_tick() noexcept;
  void write_round(bool closing) noexcept;
  bool write_lanes();
  bool write_lane(Lane& lane);
  std::uint64_t write_frames(std::string_view frames, std::uint64_t count) noexcept;
  bool write_checkpoint() noexcept;
  void note_checkpoint();
  bool write_end();
  bool write_own(const std::string& payload);
  void close_file() noexcept;
  void give_up() noexcept;
  void tell_error(int error) noexcept;
  [[nodiscard]] Loss lost() const noexcept;
  void update_header() noexcept;

  LaneState state_;
  sem_t woken_{};
  alignas(kCacheLine) std::atomic<bool> work_{false};  // `woken_` was posted and not yet waited for
  alignas(kCacheLine) mutable std::mutex mutex_;       // of no callback
  std::condition_variable written_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // guarded by mutex_; the first is for all, none is removed
  std::shared_ptr<const Tick> tick_;          // guarded by mutex_, as these; empty: none
  std::shared_ptr<const Seen> seen_;
  std::chrono::milliseconds tick_interval_{0};
  std::optional<std::uint64_t> end_ns_;
  bool finished_ = false;  // the thread is about to end
  Lane* common_ = nullptr;

  // Of the thread.
  std::vector<Lane*> from_;
  Clock::time_point next_tick_ = Clock::time_point::max();  // set under mutex_
  std::uint64_t dispatches_ = 0;                            // frames of them in the file
  std::size_t unmarked_bytes_ = 0;                          // written since the last checkpoint
  Clock::time_point unmarked_since_;
  Clock::time_point next_header_;  // not before
  Loss in_header_;
  int failure_ = 0;  // the errno that ended the capture
};

}  // namespace multipass::journal
