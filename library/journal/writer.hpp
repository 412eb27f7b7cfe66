// SPDX-License-Identifier: MIT
//
// JournalWriter: appends frames to a capture file that survives the death of the process.
//
// create -> (append | flush)* -> close. append() may be called from any thread: it hands the frame to a queue and
// returns; a thread of ours writes. What that thread has written is in the kernel's hands and outlives a crash of the
// process. When the disk is slower than the program, append() waits, but for kMaxWait at most; then the frame is
// dropped and counted, and until the disk answers again nothing is waited for: the profiled program comes first. After
// a write error everything is dropped, once with a message. A forked child must call close_in_child only.
//
// Queues are Lanes: one for all, and one for each agent, so that agents share no lock. What was appended to the one for
// all before something in another is before it in the file as well. A thread that appends wakes the writing one, at
// most once until that has woken up, and without a lock.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "base/status.hpp"
#include "journal/lane.hpp"

namespace multipass::journal {

class JournalWriter final {
 public:
  static constexpr std::size_t kMaxQueuedBytes = 64U << 20U;      // in the queue for all
  static constexpr std::size_t kMaxAgentQueuedBytes = 4U << 20U;  // in the queue of an agent
  static constexpr std::chrono::milliseconds kMaxWait = Lane::kMaxWait;

  // Creates `path`, which must not exist (O_EXCL), and writes the file header before it returns.
  // `exists` is set when that is why it failed; the caller may then try another name.
  static Result<std::unique_ptr<JournalWriter>> create(const std::string& path, bool& exists);

  // Writes to an open descriptor, which it then owns; `path` is for messages.
  static Result<std::unique_ptr<JournalWriter>> adopt(int fd, const std::string& path);

  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;
  ~JournalWriter();

  // `payload`: an encoded Frame message. False when it was dropped.
  bool append(const std::string& payload) noexcept;

  // A queue for one agent, as long as this object is there. Throws std::bad_alloc.
  [[nodiscard]] Lane& add_agent_lane();

  // The same for a payload that is made in the lane: `write(std::string&)` appends `size` bytes at most.
  template <typename Write>
  bool append(Lane& lane, std::size_t size, const Write& write) noexcept {
    const bool appended = lane.append(size, write);
    if (appended) shared_->wake();
    return appended;
  }

  // The last frame of the file, written by close() behind everything else. Once.
  void append_last(const std::string& payload);

  // Waits, `timeout` at most, until everything appended before is written. False when it is not.
  bool flush(std::chrono::milliseconds timeout) noexcept;

  // Has the thread call `tick` at this interval until the file is closed; late while the disk does not answer. An
  // exception of `tick` ends here. Once, before the first dispatch. `tick` may call append().
  void call_every(std::chrono::milliseconds interval, std::function<void()> tick);

  // Writes what is queued, waiting `timeout` at most, then closes the file. False when frames were lost.
  bool close(std::chrono::milliseconds timeout) noexcept;

  // Gives up the child's share of the open file: whoever looks for writers of the capture must not find one that lives
  // on after its parent. Takes no lock.
  void close_in_child() noexcept;

  [[nodiscard]] const std::string& path() const noexcept { return shared_->path; }
  // Frames that were appended and are not written.
  [[nodiscard]] std::uint64_t pending() const noexcept;
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return shared_->state.dropped.load(std::memory_order_relaxed);
  }

 private:
  // What the thread works with. It holds a share, so that a thread that is stuck in a write outlives the writer.
  struct Shared {
    Shared(std::string file_path, int file_fd);
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    ~Shared();
    // Callbacks are here: what they have appended will be taken.
    void wake() noexcept {
      if (work.load(std::memory_order_relaxed) || work.exchange(true)) return;
      ::sem_post(&woken);
    }

    void write_loop() noexcept;
    void wait_for_work() noexcept;
    [[nodiscard]] std::chrono::steady_clock::time_point run_due_tick() noexcept;
    bool write_lanes(const std::vector<Lane*>& from) noexcept;
    bool write_last() noexcept;
    bool write_all(const std::string& bytes) noexcept;

    // The program may have closed our descriptor and opened a file of its own under that number.
    [[nodiscard]] bool is_ours() const noexcept;

    const std::string path;
    const int fd;
    std::uint64_t device = 0;  // of the capture file
    std::uint64_t inode = 0;
    LaneState state;
    sem_t woken{};
    alignas(kCacheLine) std::atomic<bool> work{false};  // `woken` was posted and not yet waited for
    alignas(kCacheLine) std::mutex mutex;               // of no callback
    std::condition_variable written;
    std::vector<std::unique_ptr<Lane>>
        lanes;  // guarded by mutex, as all below; the first one is for all, none is removed
    std::shared_ptr<const std::function<void()>> tick;  // empty: none
    std::chrono::milliseconds tick_interval{0};
    std::chrono::steady_clock::time_point next_tick;
    std::string last;
    bool finished = false;  // the thread is about to end
  };

  explicit JournalWriter(std::shared_ptr<Shared> shared) : shared_(std::move(shared)), common_(*shared_->lanes[0]) {}

  std::shared_ptr<Shared> shared_;
  Lane& common_;
  std::thread thread_;
};

}  // namespace multipass::journal
