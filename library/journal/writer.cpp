// SPDX-License-Identifier: MIT
#include "journal/writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "base/log.hpp"
#include "base/write_signals.hpp"
#include "journal/format.hpp"

namespace multipass::journal {
namespace {

constexpr std::chrono::milliseconds kNoWait{0};

std::string reason(int error) {
  return std::error_code(error, std::generic_category()).message();
}

// Programs close or reuse low descriptors by number. Where the limit allows, ours is out of their way.
int moved_up(int fd) noexcept {
  constexpr int kHigh = 700;
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, kHigh);
  if (high < 0) return fd;
  ::close(fd);
  return high;
}

// Signals of the program are handled by the program's threads, never by ours. A SIGXFSZ or SIGPIPE that our own write
// raises stays pending on our thread, and the write returns its error.
class SignalsBlocked final {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }

 private:
  sigset_t saved_{};
};

}  // namespace

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const std::string& path, bool& exists) {
  exists = false;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) {
    exists = errno == EEXIST;
    return Status::error("cannot create the capture file " + path + ": " + reason(errno));
  }
  auto writer = adopt(moved_up(fd), path);
  if (!writer) ::unlink(path.c_str());  // a file without a header is of no use to anybody
  return writer;
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::adopt(int fd, const std::string& path) {
  try {
    auto shared = std::make_shared<Shared>(path, fd);
    const WriteSignalsBlocked no_signal;
    if (!shared->write_all(file_header())) return Status::error("cannot write the capture file " + path);
    std::unique_ptr<JournalWriter> writer(new JournalWriter(shared));  // the constructor is private
    const SignalsBlocked guard;                                        // inherited by the thread
    writer->thread_ = std::thread([shared] { shared->write_loop(); });
    return writer;
  } catch (const std::system_error& error) {
    return Status::error("cannot start the capture thread: " + std::string(error.what()));
  }
}

JournalWriter::Shared::Shared(std::string file_path, int file_fd) : path(std::move(file_path)), fd(file_fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return;
  device = status.st_dev;
  inode = status.st_ino;
}

JournalWriter::Shared::~Shared() {
  if (is_ours()) ::close(fd);
}

bool JournalWriter::Shared::is_ours() const noexcept {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

JournalWriter::~JournalWriter() {
  if (thread_.joinable()) close(std::chrono::seconds(10));
  if (thread_.joinable()) thread_.detach();  // stuck in a write; it ends with the process
}

bool JournalWriter::append(const std::string& payload) noexcept {
  Shared& shared = *shared_;
  try {
    if (payload.size() > kMaxPayload) {
      shared.dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    const std::string frame = framed(payload);
    std::unique_lock lock(shared.mutex);
    const auto room = [&] {
      return shared.failed || shared.closing || shared.queue.size() + shared.writing + frame.size() <= kMaxQueuedBytes;
    };
    const bool has_room = shared.wake_callers.wait_for(lock, shared.stalled ? kNoWait : kMaxWait, room);
    if (!has_room) shared.stalled = true;
    if (!has_room || shared.failed || shared.closing) {
      shared.dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    shared.queue += frame;
    lock.unlock();
    shared.wake_writer.notify_one();
    return true;
  } catch (...) {  // out of memory
    shared.dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
}

bool JournalWriter::flush(std::chrono::milliseconds timeout) noexcept {
  Shared& shared = *shared_;
  try {
    std::unique_lock lock(shared.mutex);
    const auto done = [&] { return shared.failed || (shared.queue.empty() && shared.writing == 0); };
    return shared.wake_callers.wait_for(lock, timeout, done) && !shared.failed;
  } catch (...) {
    return false;
  }
}

bool JournalWriter::close(std::chrono::milliseconds timeout) noexcept {
  Shared& shared = *shared_;
  try {
    std::unique_lock lock(shared.mutex);
    shared.closing = true;
    shared.wake_writer.notify_one();
    if (!shared.wake_callers.wait_for(lock, timeout, [&] { return shared.finished; })) return false;
    lock.unlock();
    if (thread_.joinable()) thread_.join();
    return !shared.failed && dropped() == 0;
  } catch (...) {
    return false;
  }
}

void JournalWriter::Shared::write_loop() noexcept {
  std::string bytes;
  std::unique_lock lock(mutex);
  for (;;) {
    wake_writer.wait(lock, [&] { return closing || !queue.empty(); });
    if (queue.empty()) break;
    bytes.clear();
    bytes.swap(queue);
    writing = bytes.size();
    lock.unlock();
    const bool written = write_all(bytes);
    lock.lock();
    writing = 0;
    stalled = false;
    if (!written) {
      failed = true;
      queue.clear();
      break;
    }
    wake_callers.notify_all();
  }
  finished = true;
  wake_callers.notify_all();
}

bool JournalWriter::Shared::write_all(const std::string& bytes) noexcept {
  std::size_t done = 0;
  if (!is_ours()) {
    log_error("the program has closed the file descriptor of the capture file " + path +
              "; it goes on, what was written until now is kept");
    return false;
  }
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      try {
        log_error("cannot write the capture file " + path + ": " + reason(n < 0 ? errno : ENOSPC) +
                  "; the program goes on, what was written until now is kept");
      } catch (...) {  // out of memory: nothing can be said
      }
      return false;
    }
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace multipass::journal
