// SPDX-License-Identifier: MIT
//
// A question whose answer turns from no to yes when a time has passed: the cut-off of a search. Threads: any.
#pragma once

#include <chrono>
#include <functional>

namespace multipass {

// From now on, by the steady clock.
[[nodiscard]] inline std::function<bool()> passed_after(std::chrono::nanoseconds time) {
  return [end = std::chrono::steady_clock::now() + time] { return std::chrono::steady_clock::now() >= end; };
}

}  // namespace multipass
