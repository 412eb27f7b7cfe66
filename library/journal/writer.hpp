// SPDX-License-Identifier: MIT
//
// JournalWriter: appends frames to a capture file that survives the death of the process.
//
// create -> (append | flush)* -> close. append() may be called from any thread: it hands the frame to a queue and
// returns; a thread of ours writes. What that thread has written is in the kernel's hands and outlives a crash of the
// process. When the disk is slower than the program, append() waits, but for kMaxWait at most; then the frame is
// dropped and counted, and until the disk answers again nothing is waited for: the profiled program comes first. After
// a write error everything is dropped, once with a message. A forked child must not call anything here.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/status.hpp"

namespace multipass::journal {

class JournalWriter final {
 public:
  static constexpr std::size_t kMaxQueuedBytes = 64U << 20U;
  static constexpr std::chrono::milliseconds kMaxWait{500};

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

  // Waits, `timeout` at most, until everything appended before is written. False when it is not.
  bool flush(std::chrono::milliseconds timeout) noexcept;

  // Writes what is queued, waiting `timeout` at most, then closes the file. False when frames were lost.
  bool close(std::chrono::milliseconds timeout) noexcept;

  [[nodiscard]] const std::string& path() const noexcept { return shared_->path; }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return shared_->dropped.load(std::memory_order_relaxed); }

 private:
  // What the thread works with. It holds a share, so that a thread that is stuck in a write outlives the writer.
  struct Shared {
    Shared(std::string file_path, int file_fd);
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    ~Shared();
    void write_loop() noexcept;
    bool write_all(const std::string& bytes) noexcept;

    // The program may have closed our descriptor and opened a file of its own under that number.
    [[nodiscard]] bool is_ours() const noexcept;

    const std::string path;
    const int fd;
    std::uint64_t device = 0;  // of the capture file
    std::uint64_t inode = 0;
    std::mutex mutex;
    std::condition_variable wake_writer;
    std::condition_variable wake_callers;
    std::string queue;        // guarded by mutex, as all below
    std::size_t writing = 0;  // bytes the thread holds
    bool closing = false;
    bool finished = false;  // the thread is about to end
    bool failed = false;
    bool stalled = false;  // an append waited in vain since the last write that went through
    std::atomic<std::uint64_t> dropped{0};
  };

  explicit JournalWriter(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace multipass::journal
