// SPDX-License-Identifier: MIT
#include "journal/writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <system_error>

#include "base/log.hpp"
#include "base/write_signals.hpp"
#include "journal/format.hpp"

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

timespec timespec_of(std::chrono::steady_clock::time_point time) noexcept {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  return {static_cast<time_t>(seconds.count()), static_cast<long>(std::chrono::nanoseconds(since - seconds).count())};
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
  ::sem_init(&woken, 0, 0);
  lanes.push_back(std::make_unique<Lane>(state, kMaxQueuedBytes, false));
  struct stat status{};
  if (::fstat(fd, &status) != 0) return;
  device = status.st_dev;
  inode = status.st_ino;
}

JournalWriter::Shared::~Shared() {
  if (is_ours()) ::close(fd);
  ::sem_destroy(&woken);
}

bool JournalWriter::Shared::is_ours() const noexcept {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

JournalWriter::~JournalWriter() {
  if (thread_.joinable()) close(std::chrono::seconds(10));
  if (thread_.joinable()) thread_.detach();  // stuck in a write; it ends with the process
}

Lane& JournalWriter::add_agent_lane() {
  auto lane = std::make_unique<Lane>(shared_->state, kMaxAgentQueuedBytes, true);
  const std::lock_guard lock(shared_->mutex);
  return *shared_->lanes.emplace_back(std::move(lane));
}

bool JournalWriter::append(const std::string& payload) noexcept {
  if (payload.size() > kMaxPayload) {
    shared_->state.dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  return append(common_, payload.size(), [&payload](std::string& queue) { queue += payload; });
}

void JournalWriter::append_last(const std::string& payload) {
  const std::lock_guard lock(shared_->mutex);
  shared_->last = framed(payload);
}

bool JournalWriter::flush(std::chrono::milliseconds timeout) noexcept {
  Shared& shared = *shared_;
  try {
    std::unique_lock lock(shared.mutex);
    std::vector<std::pair<const Lane*, std::uint64_t>> wanted;
    for (const auto& lane : shared.lanes) wanted.emplace_back(lane.get(), lane->appended());
    const auto done = [&] {
      return shared.state.failed || std::all_of(wanted.begin(), wanted.end(),
                                                [](const auto& each) { return each.first->released() >= each.second; });
    };
    return shared.written.wait_for(lock, timeout, done) && !shared.state.failed;
  } catch (...) {
    return false;
  }
}

bool JournalWriter::close(std::chrono::milliseconds timeout) noexcept {
  Shared& shared = *shared_;
  try {
    shared.state.closing = true;
    shared.wake();
    std::unique_lock lock(shared.mutex);
    if (!shared.written.wait_for(lock, timeout, [&] { return shared.finished; })) return false;
    lock.unlock();
    if (thread_.joinable()) thread_.join();
    return !shared.state.failed && dropped() == 0;
  } catch (...) {
    return false;
  }
}

std::uint64_t JournalWriter::pending() const noexcept {
  if (shared_->state.failed) return 0;  // they are counted as dropped
  try {
    const std::lock_guard lock(shared_->mutex);
    std::uint64_t sum = 0;
    for (const auto& lane : shared_->lanes) sum += lane->appended() - lane->released();
    return sum;
  } catch (...) {  // the lock is broken
    return 0;
  }
}

void JournalWriter::close_in_child() noexcept {
  if (shared_->is_ours()) ::close(shared_->fd);
}

void JournalWriter::call_every(std::chrono::milliseconds interval, std::function<void()> tick) {
  auto shared_tick = std::make_shared<const std::function<void()>>(std::move(tick));
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->tick = std::move(shared_tick);
    shared_->tick_interval = interval;
    shared_->next_tick = std::chrono::steady_clock::now() + interval;
  }
  shared_->wake();
}

// Calls the tick when it is due. When the next one is.
std::chrono::steady_clock::time_point JournalWriter::Shared::run_due_tick() noexcept {
  using Clock = std::chrono::steady_clock;
  try {
    std::unique_lock lock(mutex);
    if (!tick || state.closing) return Clock::time_point::max();
    if (Clock::now() < next_tick) return next_tick;
    const auto running = tick;
    lock.unlock();
    try {
      (*running)();
    } catch (...) {  // out of memory: it is called again
    }
    lock.lock();
    next_tick = Clock::now() + tick_interval;
    return next_tick;
  } catch (...) {  // the lock is broken
    return Clock::time_point::max();
  }
}

void JournalWriter::Shared::wait_for_work() noexcept {
  for (;;) {
    const auto next = run_due_tick();
    if (next == next.max()) {
      if (::sem_wait(&woken) == 0) break;
    } else if (const timespec until = timespec_of(next); ::sem_clockwait(&woken, CLOCK_MONOTONIC, &until) == 0) {
      break;
    }
  }  // a signal, or the time of the tick
  work = false;  // before the lanes are looked into: who appends after that posts again
}

void JournalWriter::Shared::write_loop() noexcept {
  std::vector<Lane*> from;
  bool good = true;
  for (bool closing = false; good && !closing;) {
    wait_for_work();
    closing = state.closing;  // then nothing is appended any more, and this is the last round
    try {
      const std::lock_guard lock(mutex);
      from.clear();
      for (const auto& lane : lanes) from.push_back(lane.get());
    } catch (...) {  // out of memory
      good = false;
    }
    good = good && write_lanes(from) && (!closing || write_last());
    if (!good) {
      state.failed = true;
      for (Lane* lane : from) lane->give_up();
    }
    {
      const std::lock_guard lock(mutex);  // a flush() that has looked already waits by now
      finished = closing || !good;
    }
    written.notify_all();
  }
}

// Those of the agents are taken first and written last, so that what is for all, a kernel's name for one, comes before
// what was appended after it.
bool JournalWriter::Shared::write_lanes(const std::vector<Lane*>& from) noexcept {
  for (std::size_t i = from.size(); i-- > 0;) from[i]->take();
  for (Lane* lane : from) {
    if (lane->taken().empty()) continue;
    fill_checksums(lane->taken());
    if (!write_all(lane->taken())) return false;
    state.stalled = false;
    lane->release();
  }
  return true;
}

bool JournalWriter::Shared::write_last() noexcept {
  const std::lock_guard lock(mutex);
  return last.empty() || write_all(last);
}

bool JournalWriter::Shared::write_all(const std::string& bytes) noexcept {
  std::size_t done = 0;
  if (!is_ours()) {
    try {
      log_error("the program has closed the file descriptor of the capture file " + path +
                "; it goes on, what was written until now is kept");
    } catch (...) {  // out of memory: nothing can be said
    }
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
