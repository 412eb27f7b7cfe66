// SPDX-License-Identifier: MIT
//
// Where the time of start-up went, for the line that --verbose prints.
// Owner: the Tool, while it is created and initialised, on that thread. Errors: none but std::bad_alloc in sentence().
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace multipass::tool {

class Stopwatch final {
 public:
  using Clock = std::chrono::steady_clock;

  // Since the last lap, or since the start.
  [[nodiscard]] Clock::duration lap() noexcept {
    const Clock::time_point now = Clock::now();
    const Clock::duration spent = now - start_;
    start_ = now;
    return spent;
  }

 private:
  Clock::time_point start_ = Clock::now();
};

struct StartUpCost {
  Stopwatch::Clock::duration settings{};  // environment and hand-over file
  Stopwatch::Clock::duration counters{};  // listed by the SDK, and found in them what is asked for
  Stopwatch::Clock::duration slots{};     // found by trial
  Stopwatch::Clock::duration plan{};      // with what the SDK is asked for it
  Stopwatch::Clock::duration configs{};   // those that no trial had made
  Stopwatch::Clock::duration journal{};   // opened, and its first frames on disk
  Stopwatch::Clock::duration services{};
  std::size_t configs_asked = 0;  // of the SDK, for trials or for keeps
};

// "ready after 7.1 ms: settings 0.1, counters 2.9, slots 0.2, ..."
[[nodiscard]] std::string sentence(const StartUpCost& cost);

}  // namespace multipass::tool
