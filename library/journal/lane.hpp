// SPDX-License-Identifier: MIT
//
// Lane: a queue of frames on their way to the capture file. Each agent has one, so that threads of different agents
// never wait for each other; the JournalWriter has one for everything else, and its thread takes what is in them.
//
// Owned by the Drain of the JournalWriter. Threads: any append; one takes. A frame is written right into the queue, and
// where its memory was reserved (agents) nothing is allocated. Bounded: append() waits for room, kMaxWait at most, and
// not at all after one has waited in vain until the disk answers again; then the frame is dropped, which is counted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/cache_line.hpp"
#include "journal/format.hpp"

namespace multipass::journal {

// What all lanes of a file share. Written to rarely: when the disk does not answer, at the end.
struct LaneState {
  std::atomic<bool> closing{false};  // asked for; what is appended until then and by the last tick is written
  std::atomic<bool> closed{false};   // the last round of the writing thread has begun
  std::atomic<bool> failed{false};
  std::atomic<bool> stalled{false};  // an append waited in vain since the last write that went through
  std::atomic<std::uint64_t> dropped{0};
};

class alignas(kCacheLine) Lane final {
 public:
  static constexpr std::chrono::milliseconds kMaxWait{500};

  // `most`: bytes in the lane and on their way out of it. Of an agent: memory for that is there from the beginning.
  Lane(LaneState& state, std::size_t most, bool of_agent);

  // `write(queue)` appends a payload of `size` bytes at most. False: it was dropped.
  template <typename Write>
  bool append(std::size_t size, const Write& write) noexcept {
    try {
      std::unique_lock lock(mutex_);
      if (!wait_for_room(lock, size + kFrameHeaderSize)) return drop();
      const std::size_t at = queue_.size();
      try {
        begin_frame(queue_);
        write(queue_);
      } catch (...) {
        queue_.resize(at);
        throw;
      }
      if (queue_.size() - at > kMaxPayload + kFrameHeaderSize) {
        queue_.resize(at);
        return drop();
      }
      end_frame(queue_, at);
      appended_.fetch_add(1, std::memory_order_relaxed);
      return true;
    } catch (...) {  // out of memory
      return drop();
    }
  }

  // For the one thread that writes: takes what is in the lane; release() when it is written, or `frames` of it were;
  // give_up() when nothing can be written any more, which counts what is lost.
  void take();
  [[nodiscard]] std::string& taken() noexcept { return taken_; }
  void release();
  void release_first(std::uint64_t frames);
  void give_up();

  // Frames that were ever appended, and of which were released.
  [[nodiscard]] std::uint64_t appended() const noexcept { return appended_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t released() const noexcept { return released_.load(std::memory_order_acquire); }
  // Of this lane; the state has the sum. Whoever sees a frame counted here sees all that went before it was dropped.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_acquire); }
  // Each of its frames is a dispatch.
  [[nodiscard]] bool of_agent() const noexcept { return of_agent_; }

 private:
  bool wait_for_room(std::unique_lock<std::mutex>& lock, std::size_t size);
  bool drop() noexcept;
  void count_dropped(std::uint64_t frames) noexcept;

  LaneState& state_;
  const std::size_t most_;
  const bool of_agent_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::string queue_;        // guarded by mutex_
  std::size_t leaving_ = 0;  // guarded by mutex_; bytes that the writing thread holds
  std::atomic<std::uint64_t> appended_{0};
  std::atomic<std::uint64_t> released_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::string taken_;  // of the writing thread
  std::uint64_t taken_up_to_ = 0;
};

}  // namespace multipass::journal
