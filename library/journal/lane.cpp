// SPDX-License-Identifier: MIT
#include "journal/lane.hpp"

namespace multipass::journal {

Lane::Lane(LaneState& state, std::size_t most, bool of_agent) : state_(state), most_(most), of_agent_(of_agent) {
  if (!of_agent) return;
  queue_.reserve(most);  // pages that are never touched are never there
  taken_.reserve(most);
}

bool Lane::wait_for_room(std::unique_lock<std::mutex>& lock, std::size_t size) {
  const auto over = [this] { return state_.failed.load() || state_.closed.load(); };
  const auto room = [&] { return queue_.size() + leaving_ + size <= most_; };
  if (size > most_) return false;  // room for it will never be
  if (!room() && !over()) {
    const auto wait = state_.stalled.load() ? std::chrono::milliseconds{0} : kMaxWait;
    if (!room_.wait_for(lock, wait, [&] { return over() || room(); })) state_.stalled.store(true);
  }
  return room() && !over();
}

void Lane::count_dropped(std::uint64_t frames) noexcept {
  dropped_.fetch_add(frames, std::memory_order_release);
  state_.dropped.fetch_add(frames);  // before the writing thread is woken, in the one order of both
}

bool Lane::drop() noexcept {
  count_dropped(1);
  return false;
}

void Lane::take() {
  taken_.clear();
  const std::lock_guard lock(mutex_);
  taken_.swap(queue_);
  leaving_ = taken_.size();
  taken_up_to_ = appended_.load(std::memory_order_relaxed);
}

void Lane::release() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = 0;
    released_.store(taken_up_to_, std::memory_order_release);
  }
  room_.notify_all();
}

void Lane::release_first(std::uint64_t frames) {
  released_.fetch_add(frames, std::memory_order_release);
}

void Lane::give_up() {
  {
    const std::lock_guard lock(mutex_);
    count_dropped(appended_.load() - released_.load());
    released_.store(appended_.load(), std::memory_order_release);
    queue_.clear();
    leaving_ = 0;
  }
  room_.notify_all();
}

}  // namespace multipass::journal
