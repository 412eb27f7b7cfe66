// SPDX-License-Identifier: MIT
//
// The fault records_meet: a tool's record callback that asks for the counter of a record waits, inside the tool, until
// the callbacks of all GPUs do. A tool that lets agents wait for each other never gets there. Owner: Sdk; any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace multipass_sim {

class RecordMeeting final {
 public:
  // On the thread of a record callback, around it. Once per callback, come() waits for the others.
  class Callback final {
   public:
    Callback() noexcept { pending = true; }
    ~Callback() { pending = false; }
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;
  };

  static constexpr std::chrono::milliseconds kBound{20'000};

  // False: `callbacks` of them did not come within the bound. True also when the thread has nothing to wait for.
  [[nodiscard]] bool come(std::size_t callbacks, std::chrono::milliseconds bound = kBound) {
    if (!pending) return true;
    pending = false;
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    if (++waiting_ == callbacks) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
      return true;
    }
    const auto end = std::chrono::system_clock::now() + bound;
    if (changed_.wait_until(lock, end, [&] { return round_ != round; })) return true;
    --waiting_;  // who has gone is not there for the next
    return false;
  }

 private:
  static inline thread_local bool pending = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0;
  std::uint64_t round_ = 0;
};

}  // namespace multipass_sim
