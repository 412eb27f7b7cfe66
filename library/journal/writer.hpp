// SPDX-License-Identifier: MIT
//
// JournalWriter: appends frames to a capture file that survives the death of the process.
//
// create -> (append | flush)* -> close. append() may be called from any thread: it hands the frame to a queue and
// returns; a thread of ours writes (Drain). What that thread has written is in the kernel's hands and outlives a crash
// of the process. When the disk is slower than the program, append() waits, but for kMaxWait at most; then the frame is
// dropped and counted, and until the disk answers again nothing is waited for: the profiled program comes first. After
// a write error everything is dropped, once with a message. What was dropped is in the header of the file. A forked
// child must call close_in_child only.
//
// Queues are Lanes: one for all, and one for each agent, so that agents share no lock. What was appended to the one for
// all before something in another is before it in the file as well. A thread that appends wakes the writing one, at
// most once until that has woken up, and without a lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/status.hpp"
#include "journal/drain.hpp"
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

  // `payload`: an encoded Frame message that is no dispatch. False when it was dropped.
  bool append(const std::string& payload) noexcept;

  // A queue for the dispatches of one agent, and for nothing else: its frames are what checkpoints and the last frame
  // count. As long as this object is there. Throws std::bad_alloc.
  [[nodiscard]] Lane& add_agent_lane();

  // A dispatch that is made in the lane: `write(std::string&)` appends `size` bytes at most.
  template <typename Write>
  bool append(Lane& lane, std::size_t size, const Write& write) noexcept {
    const bool appended = lane.append(size, write);
    drain_->wake();
    return appended;
  }

  // From now on there are checkpoints. `seen`: how many dispatches there ever were, those that were appended to the
  // lanes of agents or dropped there among them; it never falls. Called on the writing thread until close() returns
  // true.
  void keep_checkpoints(std::function<std::uint64_t()> seen);

  // The file will end with a frame that says so, written by close() behind everything else, with this time.
  void append_end(std::uint64_t end_ns);

  // Waits, `timeout` at most, until everything appended before is written. False when it is not.
  bool flush(std::chrono::milliseconds timeout) noexcept;

  // Has the thread call `tick` at this interval until the file is closed; late while the disk does not answer. An
  // exception of `tick` ends here. Once, before the first dispatch. `tick` may call append().
  void call_every(std::chrono::milliseconds interval, std::function<void()> tick);

  // Writes what is queued, waiting `timeout` at most, then closes the file. False when frames were lost.
  bool close(std::chrono::milliseconds timeout) noexcept;

  // Gives up the child's share of the open file: whoever looks for writers of the capture must not find one that lives
  // on after its parent. Takes no lock.
  void close_in_child() noexcept { drain_->file.close_in_child(); }

  [[nodiscard]] const std::string& path() const noexcept { return drain_->file.path(); }
  // The disk has refused something: nothing that is appended is written any more.
  [[nodiscard]] bool failed() const noexcept { return drain_->state().failed; }
  // Frames that were appended and are not written.
  [[nodiscard]] std::uint64_t pending() const noexcept;
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return drain_->state().dropped.load(std::memory_order_relaxed);
  }

 private:
  explicit JournalWriter(std::shared_ptr<Drain> drain) : drain_(std::move(drain)) {}

  std::shared_ptr<Drain> drain_;
  std::thread thread_;
};

}  // namespace multipass::journal
