// SPDX-License-Identifier: MIT
#include "journal/drain.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "journal/checkpoint.hpp"
#include "journal/encode.hpp"

namespace multipass::journal {
namespace {

// Of frames that are checked and written together: the checksums have them in the cache of the processor, and a call
// costs little beside its bytes.
constexpr std::size_t kWrittenAtOnce = 256U << 10U;

std::string reason(int error) {
  return std::error_code(error, std::generic_category()).message();
}

timespec timespec_of(Drain::Clock::time_point time) noexcept {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  return {static_cast<time_t>(seconds.count()), static_cast<long>(std::chrono::nanoseconds(since - seconds).count())};
}

std::uint64_t boot_time_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

Drain::Drain(std::string path, int fd, std::size_t most_queued_bytes) : file(std::move(path), fd) {
  ::sem_init(&woken_, 0, 0);
  common_ = lanes_.emplace_back(std::make_unique<Lane>(state_, most_queued_bytes, false)).get();
}

Drain::~Drain() {
  ::sem_destroy(&woken_);
}

int Drain::write_header() noexcept {
  try {
    (void)file.write(file_header(), 0);
    return file.error();
  } catch (...) {
    return ENOMEM;
  }
}

Lane& Drain::add_lane(std::size_t most_bytes) {
  auto lane = std::make_unique<Lane>(state_, most_bytes, true);
  const std::lock_guard lock(mutex_);
  return *lanes_.emplace_back(std::move(lane));
}

void Drain::set_tick(std::chrono::milliseconds interval, std::function<void()> tick) {
  auto shared = std::make_shared<const Tick>(std::move(tick));
  {
    const std::lock_guard lock(mutex_);
    tick_ = std::move(shared);
    tick_interval_ = interval;
    next_tick_ = Clock::now() + interval;
  }
  wake();
}

void Drain::set_seen(std::function<std::uint64_t()> seen) {
  auto shared = std::make_shared<const Seen>(std::move(seen));
  const std::lock_guard lock(mutex_);
  seen_ = std::move(shared);
}

void Drain::set_end(std::uint64_t end_ns) {
  const std::lock_guard lock(mutex_);
  end_ns_ = end_ns;
}

bool Drain::flush(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  std::vector<std::pair<const Lane*, std::uint64_t>> wanted;
  for (const auto& lane : lanes_) wanted.emplace_back(lane.get(), lane->appended());
  const auto done = [&] {
    return state_.failed || std::all_of(wanted.begin(), wanted.end(),
                                        [](const auto& each) { return each.first->released() >= each.second; });
  };
  return written_.wait_for(lock, timeout, done) && !state_.failed;
}

bool Drain::finish(std::chrono::milliseconds timeout) {
  state_.closing = true;
  wake();
  std::unique_lock lock(mutex_);
  return written_.wait_for(lock, timeout, [&] { return finished_; });
}

std::uint64_t Drain::pending() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& lane : lanes_) sum += lane->appended() - lane->released();
  return sum;
}

// Calls the tick when it is due. When the next one is.
Drain::Clock::time_point Drain::run_due_tick() noexcept {
  try {
    std::unique_lock lock(mutex_);
    if (!tick_ || state_.closing) return Clock::time_point::max();
    if (Clock::now() < next_tick_) return next_tick_;
    const auto running = tick_;
    lock.unlock();
    try {
      (*running)();
    } catch (...) {  // out of memory: it is called again
    }
    lock.lock();
    next_tick_ = Clock::now() + tick_interval_;
    return next_tick_;
  } catch (...) {  // the lock is broken
    return Clock::time_point::max();
  }
}

void Drain::wait_for_work() noexcept {
  for (;;) {
    Clock::time_point next = run_due_tick();
    if (unmarked_bytes_ != 0) next = std::min(next, unmarked_since_ + kCheckpointInterval);
    if (in_header_ != lost()) next = std::min(next, next_header_);
    if (next == next.max()) {
      if (::sem_wait(&woken_) == 0) break;
      continue;  // a signal
    }
    const timespec until = timespec_of(next);
    if (::sem_clockwait(&woken_, CLOCK_MONOTONIC, &until) == 0) break;
    if (errno == ETIMEDOUT) return;
  }
  work_ = false;  // before the lanes are looked into: who appends after that posts again
}

void Drain::run() noexcept {
  for (bool closing = false; !closing;) {
    wait_for_work();
    closing = state_.closing;  // then this is the last round, and nothing is appended any more
    if (closing) state_.closed = true;
    if (!state_.failed) write_round(closing);
    if (in_header_ != lost() && (closing || Clock::now() >= next_header_)) update_header();
    if (closing) close_file();
    {
      const std::lock_guard lock(mutex_);  // a flush() that has looked already waits by now
      finished_ = closing;
    }
    written_.notify_all();
  }
}

// A file system over the net may tell only now what it could not write.
void Drain::close_file() noexcept {
  const int error = file.close();
  if (error == 0) return;
  state_.failed = true;
  tell_error(error);
}

void Drain::write_round(bool closing) noexcept {
  try {
    if (write_lanes() && (!closing || write_end())) return;
    failure_ = file.error();
  } catch (...) {
    failure_ = ENOMEM;
  }
  state_.failed = true;
  give_up();
  update_header();  // before a message, for which a reader of stderr may have to be waited for
  tell_error(failure_);
}

// Those of the agents are taken first and written last, so that what is for all, a kernel's name for one, comes before
// what was appended after it.
bool Drain::write_lanes() {
  {
    const std::lock_guard lock(mutex_);
    from_.clear();
    for (const auto& lane : lanes_) from_.push_back(lane.get());
  }
  for (std::size_t i = from_.size(); i-- > 0;) from_[i]->take();
  for (Lane* lane : from_)
    if (!lane->taken().empty() && !write_lane(*lane)) return false;
  const bool due = unmarked_bytes_ != 0 && Clock::now() >= unmarked_since_ + kCheckpointInterval;
  return !due || write_checkpoint();
}

bool Drain::write_lane(Lane& lane) {
  std::string& frames = lane.taken();
  std::uint64_t written = 0;
  for (std::size_t at = 0; at < frames.size();) {
    const Frames next = fill_checksums(frames, at, kWrittenAtOnce);
    const std::uint64_t now = write_frames(std::string_view(frames).substr(at, next.bytes), next.count);
    written += now;
    if (lane.of_agent()) dispatches_ += now;
    const bool due = unmarked_bytes_ >= kCheckpointBytes;
    if (now != next.count || (due && !write_checkpoint())) {
      lane.release_first(written);
      return false;
    }
    at += next.bytes;
  }
  lane.release();
  return true;
}

// How many of the frames are whole in the file.
std::uint64_t Drain::write_frames(std::string_view frames, std::uint64_t count) noexcept {
  const Frames whole = file.write(frames, count);
  if (whole.count != count) return whole.count;
  state_.stalled = false;
  if (unmarked_bytes_ == 0) unmarked_since_ = Clock::now();
  unmarked_bytes_ += whole.bytes;
  return count;
}

// What was dropped is read before what was seen, which only grows and has each of them: the difference is never
// negative. Dispatches in the lanes were seen, and are not in the file.
bool Drain::write_checkpoint() noexcept {
  unmarked_bytes_ = 0;
  try {
    note_checkpoint();
  } catch (...) {  // out of memory: the next one says it
  }
  return file.error() == 0;
}

void Drain::note_checkpoint() {
  std::shared_ptr<const Seen> seen;
  {
    const std::lock_guard lock(mutex_);
    seen = seen_;
  }
  if (!seen) return;
  CheckpointFrame checkpoint{.dispatches = dispatches_, .dropped = state_.dropped.load(), .at_ns = boot_time_ns()};
  std::uint64_t over = dispatches_;
  for (const Lane* lane : from_)
    if (lane->of_agent()) over += lane->dropped();
  const std::uint64_t all = (*seen)();
  checkpoint.in_flight = all > over ? all - over : 0;
  write_own(encode(checkpoint));
}

bool Drain::write_end() {
  std::optional<std::uint64_t> end_ns;
  {
    const std::lock_guard lock(mutex_);
    end_ns = end_ns_;
  }
  if (!end_ns) return true;
  return write_own(encode_end(dispatches_, *end_ns));
}

bool Drain::write_own(const std::string& payload) {
  const std::string frame = framed(payload);
  return file.write(frame, 1).count == 1;
}

void Drain::give_up() noexcept {
  unmarked_bytes_ = 0;
  try {
    const std::lock_guard lock(mutex_);
    for (const auto& lane : lanes_) lane->give_up();
  } catch (...) {  // the lock is broken
  }
}

void Drain::tell_error(int error) noexcept {
  try {
    if (error == EBADF)
      log_error("the program has closed the file descriptor of the capture file " + file.path() +
                "; it goes on, what was written until now is kept");
    else if (error == ENOENT)
      log_error("the capture file " + file.path() +
                " was removed while the program ran, and what was captured with it; give another folder");
    else
      log_error("cannot write the capture file " + file.path() + ": " + reason(error) +
                "; the program goes on, what was written until now is kept");
  } catch (...) {  // out of memory: nothing can be said
  }
}

Loss Drain::lost() const noexcept {
  return {.records = state_.dropped.load(), .error = static_cast<std::uint32_t>(failure_)};
}

void Drain::update_header() noexcept {
  const Loss loss = lost();
  file.rewrite_header(loss);
  in_header_ = loss;
  next_header_ = Clock::now() + kHeaderInterval;
}

}  // namespace multipass::journal
