// SPDX-License-Identifier: MIT
#include "journal/writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/write_signals.hpp"

namespace multipass::journal {
namespace {

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
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
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
    auto drain = std::make_shared<Drain>(path, fd, kMaxQueuedBytes);
    const WriteSignalsBlocked no_signal;
    if (const int error = drain->write_header(); error != 0)
      return Status::error("cannot write the capture file " + path + ": " + reason(error));
    std::unique_ptr<JournalWriter> writer(new JournalWriter(drain));  // the constructor is private
    const SignalsBlocked guard;                                       // inherited by the thread
    writer->thread_ = std::thread([drain] { drain->run(); });
    return writer;
  } catch (const std::system_error& error) {
    return Status::error("cannot start the capture thread: " + std::string(error.what()));
  }
}

JournalWriter::~JournalWriter() {
  if (thread_.joinable()) close(std::chrono::seconds(10));
  if (thread_.joinable()) thread_.detach();  // stuck in a write; it ends with the process
}

Lane& JournalWriter::add_agent_lane() {
  return drain_->add_lane(kMaxAgentQueuedBytes);
}

bool JournalWriter::append(const std::string& payload) noexcept {
  return append(drain_->common(), payload.size(), [&payload](std::string& queue) { queue += payload; });
}

void JournalWriter::keep_checkpoints(std::function<std::uint64_t()> seen) {
  drain_->set_seen(std::move(seen));
}

void JournalWriter::append_end(std::uint64_t end_ns) {
  drain_->set_end(end_ns);
}

bool JournalWriter::flush(std::chrono::milliseconds timeout) noexcept {
  try {
    return drain_->flush(timeout);
  } catch (...) {  // out of memory, or the lock is broken
    return false;
  }
}

void JournalWriter::call_every(std::chrono::milliseconds interval, std::function<void()> tick) {
  drain_->set_tick(interval, std::move(tick));
}

bool JournalWriter::close(std::chrono::milliseconds timeout) noexcept {
  try {
    if (!drain_->finish(timeout)) return false;
    if (thread_.joinable()) thread_.join();
    return !drain_->state().failed && dropped() == 0;
  } catch (...) {
    return false;
  }
}

std::uint64_t JournalWriter::pending() const noexcept {
  if (drain_->state().failed) return 0;  // they are counted as dropped
  try {
    return drain_->pending();
  } catch (...) {  // the lock is broken
    return 0;
  }
}

}  // namespace multipass::journal
