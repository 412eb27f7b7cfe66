// SPDX-License-Identifier: MIT
#include "replay/regions.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace multipass::replay {
namespace {

constexpr Regions::Mark kWanted = 1;
constexpr Regions::Mark kUnwanted = 2;

// A message is searched up to here: a program may put anything into one.
constexpr std::size_t kMaxMessage = 4096;

// The push ranges that the thread has open.
struct OpenRanges {
  std::uint32_t wanted = 0;
  std::uint32_t unwanted = 0;
};
constinit thread_local OpenRanges t_open;

std::string_view text_of(const char* message) noexcept {
  return message == nullptr ? std::string_view() : std::string_view(message, ::strnlen(message, kMaxMessage));
}

bool is_over(std::uint64_t thread) noexcept {
  return ::syscall(SYS_tgkill, ::getpid(), static_cast<pid_t>(thread), 0) != 0 && errno == ESRCH;
}

// Never below 0, whatever the SDK delivers.
void take_one(std::atomic<std::uint32_t>& count) noexcept {
  std::uint32_t before = count.load(std::memory_order_relaxed);
  while (before != 0 && !count.compare_exchange_weak(before, before - 1, std::memory_order_acq_rel)) {
  }
}

}  // namespace

Result<std::shared_ptr<Regions>> Regions::create(const RegionConfig& config) {
  std::shared_ptr<Regions> regions(new Regions());  // the constructor is private
  auto include = Pattern::of_setting("roctx-include", config.roctx_include);
  if (!include) return include.status();
  auto exclude = Pattern::of_setting("roctx-exclude", config.roctx_exclude);
  if (!exclude) return exclude.status();
  regions->include_ = *std::move(include);
  regions->exclude_ = *std::move(exclude);
  regions->inside_ = config.roctx || regions->include_.has_value();
  if (config.selected_regions) regions->for_all_.store(kPausedBit, std::memory_order_relaxed);
  return regions;
}

bool Regions::found(const Pattern& pattern, std::string_view message) noexcept {
  const std::optional<bool> answer = pattern.found_in(message);
  if (!answer) hard_.fetch_add(1, std::memory_order_relaxed);
  return answer.value_or(false);
}

Regions::Mark Regions::mark_of(const char* message) noexcept {
  const std::string_view text = text_of(message);
  if (ranges_.fetch_add(1, std::memory_order_relaxed) == 0) {
    const std::size_t size = std::min(text.size(), first_.size());
    std::copy_n(text.begin(), size, first_.begin());
    first_size_.store(size, std::memory_order_release);
  }
  Mark mark = 0;
  if (inside_ && (!include_ || found(*include_, text))) {
    mark |= kWanted;
    found_.fetch_add(1, std::memory_order_relaxed);
  }
  if (exclude_ && found(*exclude_, text)) mark |= kUnwanted;
  return mark;
}

Regions::Mark Regions::thread_range_begins(const char* message) noexcept {
  const Mark mark = mark_of(message);
  if ((mark & kWanted) != 0) ++t_open.wanted;
  if ((mark & kUnwanted) != 0) ++t_open.unwanted;
  return mark;
}

void Regions::thread_range_ends(Mark mark) noexcept {
  if ((mark & kWanted) != 0 && t_open.wanted != 0) --t_open.wanted;
  if ((mark & kUnwanted) != 0 && t_open.unwanted != 0) --t_open.unwanted;
}

Regions::Mark Regions::process_range_begins(const char* message) noexcept {
  const Mark mark = mark_of(message);
  if ((mark & kWanted) != 0) process_wanted_.fetch_add(1, std::memory_order_acq_rel);
  if ((mark & kUnwanted) != 0) process_unwanted_.fetch_add(1, std::memory_order_acq_rel);
  return mark;
}

void Regions::process_range_ends(Mark mark) noexcept {
  if ((mark & kWanted) != 0) take_one(process_wanted_);
  if ((mark & kUnwanted) != 0) take_one(process_unwanted_);
}

void Regions::decide_for(std::uint64_t thread, bool paused) noexcept {
  if (!paused) resumes_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  const Call call = (++calls_ << 1U) | (paused ? kPausedBit : 0);
  if (thread == 0) {
    for_all_.store(call, std::memory_order_release);
    return;
  }
  ThreadCall* place = place_for(thread);
  if (place == nullptr) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (place->thread.load(std::memory_order_relaxed) == thread) {
    place->call.store(call, std::memory_order_release);
    return;
  }
  place->thread.store(0, std::memory_order_release);  // its former owner must not take what follows for its own
  place->call.store(call, std::memory_order_release);
  place->thread.store(thread, std::memory_order_release);
}

// The thread's own, else a free one, else one that says what holds without it.
Regions::ThreadCall* Regions::place_for(std::uint64_t thread) noexcept {
  const std::size_t used = places_.load(std::memory_order_relaxed);
  const Call all = for_all_.load(std::memory_order_relaxed);
  ThreadCall* spare = nullptr;
  for (std::size_t i = 0; i < used; ++i) {
    ThreadCall& place = for_thread_[i];
    if (place.thread.load(std::memory_order_relaxed) == thread) return &place;
    const Call call = place.call.load(std::memory_order_relaxed);
    if (call < all || (call & kPausedBit) == (all & kPausedBit)) spare = &place;
  }
  if (spare != nullptr) return spare;
  if (used == kThreads) {  // threads end without a word: the place of one that has is free
    for (ThreadCall& place : for_thread_)
      if (is_over(place.thread.load(std::memory_order_relaxed))) return &place;
    return nullptr;
  }
  places_.store(used + 1, std::memory_order_release);
  return &for_thread_[used];
}

bool Regions::paused(std::uint64_t thread) const noexcept {
  Call last = for_all_.load(std::memory_order_acquire);
  const std::size_t used = places_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const ThreadCall& place = for_thread_[i];
    if (place.thread.load(std::memory_order_acquire) != thread) continue;
    const Call call = place.call.load(std::memory_order_acquire);
    if (place.thread.load(std::memory_order_acquire) == thread && call > last) last = call;
    break;
  }
  return (last & kPausedBit) != 0;
}

std::optional<FilterReason> Regions::decide(std::uint64_t thread) const noexcept {
  if (paused(thread)) return FilterReason::kPaused;
  if (inside_ && t_open.wanted == 0 && process_wanted_.load(std::memory_order_acquire) == 0)
    return FilterReason::kOutsideRegion;
  if (t_open.unwanted != 0 || process_unwanted_.load(std::memory_order_acquire) != 0)
    return FilterReason::kOutsideRegion;
  return std::nullopt;
}

Regions::Use Regions::use() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  std::string first(first_.data(), first_size_.load(std::memory_order_acquire));
  return {ranges_.load(kRelaxed),  found_.load(kRelaxed),   hard_.load(kRelaxed),
          resumes_.load(kRelaxed), refused_.load(kRelaxed), std::move(first)};
}

}  // namespace multipass::replay
